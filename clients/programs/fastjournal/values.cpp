#include "clients/programs/fastjournal/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <utility>

#include "model/date.h"

namespace fastjournal::cli {

namespace {

constexpr std::int64_t kDurationMsMax = std::int64_t{100} * 365 * 24 * 3600 * 1000;

Status bad(std::string_view what, std::string_view text, std::string_view expected) {
  return {Code::bad_parameter,
          "'" + std::string(text) + "' is no " + std::string(what) + ": expected " + std::string(expected)};
}

// Digits only, and within the range.
std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t out = 0;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

// Takes a number of exactly `count` digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  auto const out = digits(text.substr(0, count));
  text.remove_prefix(count);
  if (!out) return std::nullopt;
  return static_cast<int>(*out);
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// The 1 to 9 digits after the decimal point of seconds, in whole milliseconds.
std::optional<int> take_fraction(std::string_view& text) {
  constexpr std::size_t kDigitsMax = 9;
  std::size_t const count = std::min(text.find_first_not_of("0123456789"), text.size());
  if (count == 0 || count > kDigitsMax) return std::nullopt;
  int ms = 0;
  for (std::size_t i = 0; i < 3; ++i) ms = ms * 10 + (i < count ? text[i] - '0' : 0);
  text.remove_prefix(count);
  return ms;
}

// Takes the offset after the time: `Z`, `+hh:mm` or `-hh:mm`, also without the colon, in milliseconds east of UTC; none:
// UTC.
std::optional<std::int64_t> take_offset(std::string_view& text) {
  if (text.ends_with('Z')) {
    text.remove_suffix(1);
    return 0;
  }
  // A time has no sign of its own.
  std::size_t const at = text.find_last_of("+-");
  if (at == std::string_view::npos) return 0;
  int const sign = text[at] == '-' ? -1 : 1;
  std::string_view offset = text.substr(at + 1);
  auto const hours = take_digits(offset, 2);
  static_cast<void>(take(offset, ':'));
  auto const minutes = take_digits(offset, 2);
  if (!hours || *hours > 23 || !minutes || *minutes > 59 || !offset.empty()) return std::nullopt;
  text.remove_suffix(text.size() - at);
  if (text.ends_with(' ')) text.remove_suffix(1);
  return sign * (*hours * 60 + *minutes) * std::int64_t{60'000};
}

// hh:mm[:ss[.fraction]], in milliseconds of the day.
std::optional<std::int64_t> parse_clock(std::string_view text) {
  auto const hours = take_digits(text, 2);
  if (!hours || *hours > 23 || !take(text, ':')) return std::nullopt;
  auto const minutes = take_digits(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  std::int64_t ms = (*hours * 60 + *minutes) * std::int64_t{60'000};
  if (take(text, ':')) {
    auto const seconds = take_digits(text, 2);
    if (!seconds || *seconds > 59) return std::nullopt;
    ms += *seconds * 1000;
    if (take(text, '.')) {
      auto const fraction = take_fraction(text);
      if (!fraction) return std::nullopt;
      ms += *fraction;
    }
  }
  if (!text.empty()) return std::nullopt;
  return ms;
}

std::optional<std::int64_t> parse_calendar(std::string_view text) {
  auto const year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  auto const month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  auto const day = take_digits(text, 2);
  if (!day) return std::nullopt;
  std::chrono::year_month_day const date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  std::int64_t const midnight_ms = std::int64_t{std::chrono::sys_days{date}.time_since_epoch().count()} * 86'400'000;
  if (text.empty() || text == "Z") return midnight_ms;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  auto const offset_ms = take_offset(text);
  auto const clock = parse_clock(text);
  if (!clock || !offset_ms) return std::nullopt;
  return midnight_ms + *clock - *offset_ms;
}

// False: the stream could not be read to its end.
bool read_all(std::istream& in, std::string& out) {
  char buffer[65'536];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) out.append(buffer, static_cast<std::size_t>(in.gcount()));
  return in.eof() && !in.bad();
}

}  // namespace

Result<DurationMs> parse_duration(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kUnits{
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
  std::int64_t factor = 0;
  std::string_view number = text;
  for (auto const& [unit, ms] : kUnits) {
    if (!text.ends_with(unit)) continue;
    factor = ms;
    number.remove_suffix(unit.size());
    break;
  }
  auto const count = digits(number);
  if (factor == 0 && count == 0) return DurationMs{0};
  if (factor == 0 && count)
    return bad("duration", text, "a unit behind the number: " + std::string(text) + "s, or ms, m, h, d");
  if (!count || *count > kDurationMsMax / factor)
    return bad("duration", text, "a number and ms, s, m, h or d (such as 500ms, 10s, 2h), at most 100 years");
  return DurationMs{*count * factor};
}

Result<client::Date> parse_date(std::string_view text) {
  if (text == "now") return client::Date::in(DurationMs{0});
  if (text == "never")
    return bad("date of work", text,
               "a date, or none for now; a row that is never due would be kept for nothing (expiration dates alone may "
               "be never)");
  if (text.starts_with('+')) {
    Result<DurationMs> const span = parse_duration(text.substr(1));
    if (!span.ok()) return span.status();
    return client::Date::in(span.value());
  }
  if (auto const ms = digits(text)) {
    if (!model::looks_like_seconds(*ms)) return client::Date::at(TimeMs{*ms});
    return bad("date", text,
               "milliseconds since 1970, and as such it is " + model::format_date(*ms) + "; if seconds are meant, " +
                   std::to_string(*ms) + "000");
  }
  if (auto const ms = parse_calendar(text); ms && *ms >= 0) return client::Date::at(TimeMs{*ms});
  return bad("date", text,
             "+10s, 2026-11-21T12:00:00Z, the same with an offset as +01:00 or +0100, milliseconds since 1970, or now");
}

Result<client::Date> parse_expiration(std::string_view text) {
  if (text == "never") return client::Date::never();
  return parse_date(text);
}

Result<std::string> file_bytes(std::string_view source, std::istream& in) {
  std::string out;
  if (source == "-") {
    if (!read_all(in, out)) return Status{Code::bad_parameter, "cannot read standard input"};
    return out;
  }
  std::ifstream file{std::string(source), std::ios::binary};
  if (!file || !read_all(file, out)) return Status{Code::bad_parameter, "cannot read the file " + std::string(source)};
  return out;
}

Result<Param> parse_column(std::string_view word, std::istream& in, Arena& arena) {
  std::size_t const equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return bad("column", word, "name=value, name=@FILE or name=@-");
  std::string_view const name = arena.copy(word.substr(0, equals));
  std::string_view value = word.substr(equals + 1);
  if (value.starts_with("@@"))
    value.remove_prefix(1);
  else if (value.starts_with('@')) {
    Result<std::string> const bytes = file_bytes(value.substr(1), in);
    if (!bytes.ok()) return bytes.status();
    return Param{name, Value::of_binary(arena.copy(bytes.value()))};
  }
  return Param{name, Value::of_text(arena.copy(value))};
}

Status add_column(Message& message, std::string_view word, std::istream& in) {
  Result<Param> const column = parse_column(word, in, message.arena());
  if (column.ok()) message.set(column->name, column->value);
  return column.status();
}

void set_date(Message& message, std::string_view name, client::Date const& date) {
  if (date.from_now)
    message.set(name, message.arena().copy("+" + std::to_string(date.ms)));
  else
    message.set_integer(name, date.ms);
}

}  // namespace fastjournal::cli
