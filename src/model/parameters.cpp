#include "model/parameters.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "model/date.h"

namespace fastjournal::model {
namespace {

// True or false: no number, where one is expected.
bool is_flag(Value const& value) { return value.kind == Value::Kind::boolean; }

// The given value, shortened for a message.
std::string shown_value(Value const& value) {
  if (value.kind == Value::Kind::text)
    return '"' + std::string{value.bytes.substr(0, 40)} + (value.bytes.size() > 40 ? "...\"" : "\"");
  if (is_flag(value)) return value.boolean ? "true" : "false";
  if (auto const number = value.as_integer()) return std::to_string(*number);
  if (auto const number = value.as_unsigned()) return std::to_string(*number);
  return "a value of another type";
}

}  // namespace

void Parameters::refuse(Code code, std::string_view name, std::string text) {
  if (status_.ok()) status_ = Status{code, std::move(text)}.with("parameter", std::string{name});
}

void Parameters::refuse(Status why) {
  if (status_.ok()) status_ = std::move(why);
}

void Parameters::refuse_value(std::string_view name, Value const& value, std::string const& expected) {
  refuse(Code::bad_parameter, name, std::string{name} + " is " + shown_value(value) + ": expected " + expected);
}

std::int64_t Parameters::integer(std::string_view name, std::int64_t absent, std::int64_t min, std::int64_t max) {
  Value const* const value = message_.find(name);
  if (value == nullptr) return absent;
  // From 0 to 1 is a flag.
  auto const number = is_flag(*value) && (min != 0 || max != 1) ? std::nullopt : value->as_integer();
  if (number && *number >= min && *number <= max) return *number;
  refuse_value(name, *value, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return absent;
}

std::uint64_t Parameters::unsigned_integer(std::string_view name, std::uint64_t absent) {
  Value const* const value = message_.find(name);
  if (value == nullptr) return absent;
  auto const number = is_flag(*value) ? std::nullopt : value->as_unsigned();
  if (number) return *number;
  refuse_value(name, *value, "a whole number from 0 to 18446744073709551615");
  return absent;
}

std::int64_t Parameters::date(std::string_view name, std::int64_t absent, std::int64_t now) {
  Value const* const value = message_.find(name);
  if (value == nullptr) return absent;
  auto number = is_flag(*value) ? std::nullopt : value->as_integer();
  if (number && looks_like_seconds(*number)) {
    refuse(Code::bad_parameter, name,
           std::string{name} + " is " + shown_value(*value) + ", " + format_date(*number) +
               " in milliseconds: expected milliseconds since 1970; if seconds are meant, " + std::to_string(*number) +
               "000");
    return absent;
  }
  if (value->kind == Value::Kind::text && value->bytes.starts_with('+')) {
    std::int64_t after = 0;
    char const* const end = value->bytes.data() + value->bytes.size();
    auto const [stopped, error] = std::from_chars(value->bytes.data() + 1, end, after);
    bool const whole = error == std::errc{} && stopped == end && after >= 0;
    number = whole && after <= kDateMax - now ? std::optional<std::int64_t>{now + after} : std::nullopt;
  }
  if (number && *number >= 0 && *number <= kDateMax) return *number;
  refuse_value(name, *value,
               "milliseconds since 1970 (at most " + std::to_string(kDateMax) + "), or +N for N milliseconds from now");
  return absent;
}

std::string_view Parameters::text(std::string_view name, std::size_t bytes_max) {
  Value const* const value = message_.find(name);
  if (value == nullptr) return {};
  if (value->kind != Value::Kind::text && value->kind != Value::Kind::binary) {
    refuse_value(name, *value, "a text");
    return {};
  }
  std::string_view const text = value->bytes;
  if (text.size() <= bytes_max) return text;
  refuse(Code::too_large, name,
         std::string{name} + " has " + std::to_string(text.size()) + " bytes: at most " + std::to_string(bytes_max) +
             " are kept");
  return {};
}

Status unknown_parameter(std::string_view command, std::string_view table, std::string_view name) {
  std::string const shown_name{name.substr(0, 64)};
  std::string text = std::string{command} + " has no parameter \"" + shown_name + "\"";
  if (!table.empty()) text += " and table " + std::string{table} + " no such column";
  return Status{Code::unknown_parameter, std::move(text)}.with("parameter", shown_name);
}

InsertParameters read_insert(Parameters& parameters, std::int64_t now) {
  InsertParameters out;
  out.priority = static_cast<std::uint8_t>(parameters.integer("priority", out.priority, 0, 255));
  std::int64_t const asked = parameters.date("process_date", -1, now);
  out.has_date = asked >= 0;
  // A past date is raised to now.
  out.date = std::max(now, asked);
  out.expires = parameters.date("expiration_date", 0, now);
  out.inserted = parameters.date("insertion_date", -1, now);
  out.has_inserted = out.inserted >= 0;
  if (!out.has_inserted) out.inserted = now;
  return out;
}

void check_insertion(InsertParameters const& insert, Parameters& parameters, std::int64_t now, std::int64_t skew_max) {
  if (!insert.has_inserted || skew_max == 0 || insert.inserted <= now + skew_max) return;
  std::string const ahead = std::to_string(insert.inserted - now);
  parameters.refuse(Status{Code::bad_parameter,
                           "insertion_date is " + ahead + " ms in the future, and max-clock-skew is " +
                               std::to_string(skew_max) + " ms: set the clock of the producer, or leave the date out"}
                        .with("parameter", "insertion_date")
                        .with(std::string{kAheadFact}, ahead));
}

void check_expiration(InsertParameters const& insert, Parameters& parameters, std::int64_t now) {
  if (insert.expires == 0 || insert.expires > insert.due()) return;
  parameters.refuse(Code::expired, "expiration_date",
                    insert.expires <= now
                        ? "expiration_date is past: the row would never be handed out"
                        : "expiration_date is " + std::to_string(insert.expires) + ", and the row is due at " +
                              std::to_string(insert.due()) + ": it would never be handed out");
}

}  // namespace fastjournal::model
