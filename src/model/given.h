// The parameters that a command was given, one at a time: the value that each must be, or an error that names the
// parameter, what was given and what was expected. The readers that are made from TYPE.xml (plugins/TYPE/made.cpp) consist
// of these. The first error stays in `why`, and then the target of the value stays as it is.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::model {

// The latest date that a row may have: 48 bits of milliseconds since 1970, the year 10889.
inline constexpr std::int64_t kDateMax = (std::int64_t{1} << 48) - 1;

// Empty if it is absent.
struct Text {
  std::string_view bytes{};
  bool is_given{false};

  [[nodiscard]] bool empty() const { return bytes.empty(); }
  operator std::string_view() const { return bytes; }
  [[nodiscard]] friend bool operator==(Text const& one, std::string_view other) { return one.bytes == other; }
};

// What a number must be, and what it is if it is absent, where options of the table say so.
struct Range {
  std::int64_t min;
  std::int64_t max;
  std::int64_t absent;
};

template <std::size_t N>
[[nodiscard]] bool is(Param const& param, char const (&name)[N]) {
  return param.name.size() == N - 1 && std::memcmp(param.name.data(), name, N - 1) == 0;
}

// The refusal of a parameter.
[[nodiscard]] Status refused(Code code, std::string_view name, std::string text);

// -- values: nothing if they are refused ------------------------------------

// A whole number, within [min, max].
[[nodiscard]] std::optional<std::int64_t> integer_of(Param const& param, std::int64_t min, std::int64_t max,
                                                     Status& why);
[[nodiscard]] std::optional<std::uint64_t> unsigned_of(Param const& param, Status& why);
// Milliseconds since 1970, or `+N`: N ms after now. What looks like seconds is refused.
[[nodiscard]] std::optional<std::int64_t> date_of(Param const& param, std::int64_t now, Status& why);
// The index of one of these words.
[[nodiscard]] std::optional<std::size_t> choice_of(Param const& param, std::span<std::string_view const> words,
                                                   Status& why);
[[nodiscard]] std::optional<std::string_view> text_of(Param const& param, std::size_t bytes_max, Status& why);

// -- into a member, which may be optional ------------------------------------

template <typename Found, typename To>
void take(std::optional<Found> const& found, To& to) {
  if (found) to = static_cast<To>(*found);
}
template <typename Found, typename To>
void take(std::optional<Found> const& found, std::optional<To>& to) {
  if (found) to = static_cast<To>(*found);
}

void read_integer(Param const& param, std::int64_t min, std::int64_t max, auto& to, Status& why) {
  take(integer_of(param, min, max, why), to);
}
void read_integer(Param const& param, Range const& range, auto& to, Status& why) {
  take(integer_of(param, range.min, range.max, why), to);
}
void read_unsigned(Param const& param, auto& to, Status& why) { take(unsigned_of(param, why), to); }
// 0 or 1.
void read_flag(Param const& param, auto& to, Status& why) { take(integer_of(param, 0, 1, why), to); }
void read_date(Param const& param, std::int64_t now, auto& to, Status& why) { take(date_of(param, now, why), to); }
void read_choice(Param const& param, std::span<std::string_view const> words, auto& to, Status& why) {
  take(choice_of(param, words, why), to);
}
// An empty text is none of them.
void read_choice_or_none(Param const& param, std::span<std::string_view const> words, auto& to, Status& why) {
  if (!param.value.bytes.empty()) read_choice(param, words, to, why);
}
inline void read_text(Param const& param, std::size_t bytes_max, Text& to, Status& why) {
  if (auto const found = text_of(param, bytes_max, why)) to = {*found, true};
}
inline void read_text(Param const& param, std::size_t bytes_max, std::string_view& to, Status& why) {
  take(text_of(param, bytes_max, why), to);
}
// Any bytes; of what is no text none.
inline void read_bytes(Param const& param, Text& to) { to = {param.value.bytes, true}; }
inline void read_bytes(Param const& param, std::string_view& to) { to = param.value.bytes; }

}  // namespace fastjournal::model
