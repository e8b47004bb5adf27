#include "model/given.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "model/date.h"
#include "model/value.h"

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

std::nullopt_t refuse(Param const& param, Status& why, std::string const& shown, std::string const& expected) {
  if (why.ok()) why = refused(Code::bad_parameter, param.name, std::string{param.name} + " is " + shown + expected);
  return std::nullopt;
}

std::nullopt_t refuse(Param const& param, Status& why, std::string const& expected) {
  return refuse(param, why, shown_value(param.value), ": expected " + expected);
}

}  // namespace

Status refused(Code code, std::string_view name, std::string text) {
  return Status{code, std::move(text)}.with("parameter", std::string{name});
}

std::optional<std::int64_t> integer_of(Param const& param, std::int64_t min, std::int64_t max, Status& why) {
  // From 0 to 1 is a flag.
  auto const number = is_flag(param.value) && (min != 0 || max != 1) ? std::nullopt : param.value.as_integer();
  if (number && *number >= min && *number <= max) return number;
  return refuse(param, why, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
}

std::optional<std::uint64_t> unsigned_of(Param const& param, Status& why) {
  auto const number = is_flag(param.value) ? std::nullopt : param.value.as_unsigned();
  if (number) return number;
  return refuse(param, why, "a whole number from 0 to 18446744073709551615");
}

std::optional<std::int64_t> date_of(Param const& param, std::int64_t now, Status& why) {
  Value const& value = param.value;
  auto number = is_flag(value) ? std::nullopt : value.as_integer();
  if (number && looks_like_seconds(*number))
    return refuse(param, why, shown_value(value),
                  ", " + format_date(*number) +
                      " in milliseconds: expected milliseconds since 1970; if seconds are meant, " +
                      std::to_string(*number) + "000");
  if (value.kind == Value::Kind::text && value.bytes.starts_with('+')) {
    std::int64_t after = 0;
    char const* const end = value.bytes.data() + value.bytes.size();
    auto const [stopped, error] = std::from_chars(value.bytes.data() + 1, end, after);
    bool const whole = error == std::errc{} && stopped == end && after >= 0;
    number = whole && after <= kDateMax - now ? std::optional<std::int64_t>{now + after} : std::nullopt;
  }
  if (number && *number >= 0 && *number <= kDateMax) return number;
  return refuse(
      param, why,
      "milliseconds since 1970 (at most " + std::to_string(kDateMax) + "), or +N for N milliseconds from now");
}

std::optional<std::size_t> choice_of(Param const& param, std::span<std::string_view const> words, Status& why) {
  auto const found = std::ranges::find(words, param.value.bytes);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string expected = ", expected ";
  for (std::string_view const& word : words)
    expected.append(&word == &words.front() ? "" : &word == &words.back() ? " or " : ", ").append(word);
  return refuse(param, why, shown(param.value.bytes), expected);
}

std::optional<std::string_view> text_of(Param const& param, std::size_t bytes_max, Status& why) {
  Value const& value = param.value;
  if (value.kind != Value::Kind::text && value.kind != Value::Kind::binary) return refuse(param, why, "a text");
  if (value.bytes.size() <= bytes_max) return value.bytes;
  if (why.ok())
    why = refused(Code::too_large, param.name,
                  std::string{param.name} + " has " + std::to_string(value.bytes.size()) + " bytes: at most " +
                      std::to_string(bytes_max) + " are kept");
  return std::nullopt;
}

}  // namespace fastjournal::model
