// What the typed calls of all table types need to fill in commands and to read answers. Internal to the library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clients/cpp/date.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

inline void set_date(Message& message, std::string_view name, std::optional<Date> const& date) {
  if (!date) return;
  if (!date->from_now) return message.set_integer(name, date->ms);
  message.set(name, message.arena().copy("+" + std::to_string(date->ms)));
}

// `text` is borrowed.
inline void set_if_any(Message& message, std::string_view name, std::string_view text) {
  if (!text.empty()) message.set(name, text);
}

inline void set_flag(Message& message, std::string_view name, bool given) {
  if (given) message.set_integer(name, 1);
}

inline void set_number(Message& message, std::string_view name, std::optional<std::uint64_t> const& given) {
  if (given) message.set(name, Value::of_unsigned(*given));
}

inline void set_span(Message& message, std::string_view name, std::optional<DurationMs> const& given) {
  if (given) message.set_integer(name, given->value);
}

[[nodiscard]] inline Status unexpected(Message const& message, std::string_view wanted) {
  return {Code::invalid,
          "the daemon answered " + std::string(message.command) + " where " + std::string(wanted) + " was expected"};
}

[[nodiscard]] inline std::uint64_t number(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? 0 : value->as_unsigned().value_or(0);
}

[[nodiscard]] inline TimeMs date(Message const& message, std::string_view name) {
  return TimeMs{message.integer(name).value_or(0)};
}

[[nodiscard]] inline std::optional<TimeMs> date_if_any(Message const& message, std::string_view name) {
  std::optional<std::int64_t> const ms = message.integer(name);
  return ms ? std::optional(TimeMs{*ms}) : std::nullopt;
}

}  // namespace fastjournal::client
