#include "model/parameters.h"

#include <algorithm>
#include <utility>

namespace fastjournal::model {

void Parameters::refuse(Code code, std::string_view name, std::string text) {
  if (status_.ok()) status_ = refused(code, name, std::move(text));
}

void Parameters::refuse(Status why) {
  if (status_.ok()) status_ = std::move(why);
}

std::int64_t Parameters::integer(std::string_view name, std::int64_t absent, std::int64_t min, std::int64_t max) {
  if (Param const* const param = find(name)) read_integer(*param, min, max, absent, status_);
  return absent;
}

std::uint8_t Parameters::priority(std::string_view name, std::uint8_t absent, PriorityNames const& names) {
  if (Param const* const param = find(name)) read_priority(*param, names, 0, 255, absent, status_);
  return absent;
}

std::uint64_t Parameters::unsigned_integer(std::string_view name, std::uint64_t absent) {
  if (Param const* const param = find(name)) read_unsigned(*param, absent, status_);
  return absent;
}

std::int64_t Parameters::date(std::string_view name, std::int64_t absent, std::int64_t now) {
  if (Param const* const param = find(name)) read_date(*param, now, absent, status_);
  return absent;
}

std::string_view Parameters::text(std::string_view name, std::size_t bytes_max) {
  std::string_view out;
  if (Param const* const param = find(name)) read_text(*param, bytes_max, out, status_);
  return out;
}

Status unknown_parameter(std::string_view command, std::string_view table, std::string_view name) {
  std::string const shown_name{name.substr(0, 64)};
  std::string text = std::string{command} + " has no parameter \"" + shown_name + "\"";
  if (!table.empty()) text += " and table " + std::string{table} + " no such column";
  return Status{Code::unknown_parameter, std::move(text)}.with("parameter", shown_name);
}

InsertParameters insert_of(std::uint8_t priority, std::optional<std::int64_t> process_date,
                           std::optional<std::int64_t> expiration_date, std::optional<std::int64_t> insertion_date,
                           std::int64_t now) {
  return {.priority = priority,
          .date = std::max(now, process_date.value_or(now)),
          .has_date = process_date.has_value(),
          .expires = expiration_date.value_or(0),
          .inserted = insertion_date.value_or(now),
          .has_inserted = insertion_date.has_value()};
}

InsertParameters read_insert(Parameters& parameters, std::int64_t now, PriorityNames const& names) {
  auto const date = [&](std::string_view name) {
    std::int64_t const given = parameters.date(name, -1, now);
    return given < 0 ? std::nullopt : std::optional{given};
  };
  std::uint8_t const priority = parameters.priority("priority", InsertParameters{}.priority, names);
  return insert_of(priority, date("process_date"), date("expiration_date"), date("insertion_date"), now);
}

Status check_insertion(InsertParameters const& insert, std::int64_t now, std::int64_t skew_max) {
  if (!insert.has_inserted || skew_max == 0 || insert.inserted <= now + skew_max) return {};
  std::string const ahead = std::to_string(insert.inserted - now);
  return refused(Code::bad_parameter, "insertion_date",
                 "insertion_date is " + ahead + " ms in the future, and max-clock-skew is " + std::to_string(skew_max) +
                     " ms: set the clock of the producer, or leave the date out")
      .with(std::string{kAheadFact}, ahead);
}

Status check_expiration(InsertParameters const& insert, std::int64_t now) {
  if (insert.expires == 0 || insert.expires > insert.due()) return {};
  return refused(Code::expired, "expiration_date",
                 insert.expires <= now
                     ? "expiration_date is past: the row would never be handed out"
                     : "expiration_date is " + std::to_string(insert.expires) + ", and the row is due at " +
                           std::to_string(insert.due()) + ": it would never be handed out");
}

}  // namespace fastjournal::model
