// Reads the text of a calendar. A message names the field, the byte at which it stands (from 1), what was found and
// what was expected.
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "model/calendar/calendar.h"
#include "model/duration.h"
#include "model/value.h"

namespace fastjournal::model {

namespace {

struct CalendarField {
  std::string_view name;
  unsigned first;
  unsigned last;
  std::string_view names;  // of three letters each, of the values from `first` on
  std::string_view expected;
};

enum : std::size_t { kSecond, kMinute, kHour, kDayOfMonth, kMonth, kDayOfWeek };
constexpr std::array<CalendarField, 6> kCalendarFields{{
    {"second", 0, 59, "", "0-59"},
    {"minute", 0, 59, "", "0-59"},
    {"hour", 0, 23, "", "0-23"},
    {"day of month", 1, 31, "", "1-31, L (the last day), L-3, 15W (the working day nearest to it), LW"},
    {"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", "1-12 or jan-dec"},
    // 7 is Sunday too: so it may end a range.
    {"day of week", 0, 7, "sunmontuewedthufrisat", "0-7 or sun-sat, 5L (the last Friday), 5#3 (the third)"},
}};

struct NamedCalendar {
  std::string_view name;
  std::string_view expression;
};
constexpr std::array<NamedCalendar, 7> kNamedCalendars{{{"@yearly", "0 0 1 1 *"},
                                                        {"@annually", "0 0 1 1 *"},
                                                        {"@monthly", "0 0 1 * *"},
                                                        {"@weekly", "0 0 * * 0"},
                                                        {"@daily", "0 0 * * *"},
                                                        {"@midnight", "0 0 * * *"},
                                                        {"@hourly", "0 * * * *"}}};

constexpr std::string_view kCalendarExpected =
    "five fields (minute hour day-of-month month day-of-week), six with seconds before them, @yearly, @monthly, "
    "@weekly, "
    "@daily, @hourly, or `every 10m`";

bool is_between_fields(char c) { return c == ' ' || c == '\t'; }
bool is_field_digit(char c) { return c >= '0' && c <= '9'; }
char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (lower_letter(text[i]) != word[i]) return false;
  return true;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_between_fields(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_between_fields(text.back())) text.remove_suffix(1);
  return text;
}

Status refuse_calendar(std::string_view why) { return {Code::bad_parameter, "calendar: " + std::string{why}}; }

}  // namespace

class CalendarReader {
 public:
  explicit CalendarReader(Calendar& calendar) : to_(calendar) {}

  // Of the whole text.
  Status read(std::string_view text) {
    text_ = text;
    std::array<std::string_view, kCalendarFields.size()> fields;
    std::size_t count = 0;
    for (std::string_view rest = without_blanks(text); !rest.empty(); rest = without_blanks(rest), ++count) {
      std::size_t bytes = 0;
      while (bytes < rest.size() && !is_between_fields(rest[bytes])) ++bytes;
      if (count < fields.size()) fields[count] = rest.substr(0, bytes);
      rest.remove_prefix(bytes);
    }
    if (count != 5 && count != 6)
      return refuse_calendar(
          fmt::format("{} has {} field{}, expected {}", shown(text), count, count == 1 ? "" : "s", kCalendarExpected));
    std::size_t const first = kCalendarFields.size() - count;
    to_.seconds_ = 1;
    for (std::size_t i = first; i < kCalendarFields.size(); ++i)
      if (Status status = read_field(i, i - first + 1, fields[i - first]); !status.ok()) return status;
    to_.each_hour_ = to_.hours_ == (1U << 24U) - 1;
    return {};
  }

 private:
  Status read_field(std::size_t field, std::size_t number, std::string_view text) {
    field_ = field;
    number_ = number;
    if (field == kDayOfWeek && text.size() > 1 && text.front() == '+') {
      to_.both_ = true;
      text.remove_prefix(1);
    }
    bool const any = text == "*" || text == "?";
    if (any && field == kDayOfMonth) to_.any_day_ = true;
    if (any && field == kDayOfWeek) to_.any_weekday_ = true;
    for (std::string_view rest = text;;) {
      std::size_t const comma = rest.find(',');
      if (Status status = read_part(rest.substr(0, comma)); !status.ok()) return status;
      if (comma == std::string_view::npos) return {};
      rest.remove_prefix(comma + 1);
    }
  }

  // One of a list: *, 5, 1-5, */2, 1-9/2, 5/2, and what days have besides.
  Status read_part(std::string_view text) {
    CalendarField const& field = kCalendarFields[field_];
    if (text.empty()) return wrong(text, "an empty part of a list");
    bool const is_time = field_ <= kHour;
    std::size_t const slash = text.find('/');
    std::string_view const range = text.substr(0, slash);
    unsigned first = field.first;
    unsigned last = field_ == kDayOfWeek ? 6 : field.last;
    if (range == "*" || (range == "?" && (field_ == kDayOfMonth || field_ == kDayOfWeek))) {
      to_.repeats_ |= is_time;
    } else if (range == "?") {
      return wrong(text, "? is for days only");
    } else {
      if (slash == std::string_view::npos) {
        bool taken = false;
        if (Status status = read_day(text, taken); taken || !status.ok()) return status;
      }
      std::size_t const dash = range.find('-');
      if (!value(range.substr(0, dash), first)) return wrong(range.substr(0, dash));
      if (dash != std::string_view::npos) {
        if (!value(range.substr(dash + 1), last)) return wrong(range.substr(dash + 1));
        // Sunday ends a range as 7.
        if (field_ == kDayOfWeek && last == 0 && first > 0) last = 7;
        if (last < first) return wrong(text, "the range goes backwards: write two, as in 22-23,0-4");
      } else if (slash == std::string_view::npos) {
        last = first;
      } else if (first > last) {
        return wrong(text, "a step behind the last value");
      }
    }
    unsigned step = 1;
    if (slash != std::string_view::npos) {
      to_.repeats_ |= is_time;
      unsigned const most = field.last - field.first + (field_ == kDayOfWeek ? 0 : 1);
      std::string_view const digits = text.substr(slash + 1);
      if (!number(digits, step) || step == 0 || step > most)
        return wrong(digits, fmt::format("the step is a number from 1 to {}; other periods are `every 90m`", most));
    }
    std::uint64_t bits = 0;
    for (unsigned i = first; i <= last; i += step) bits |= std::uint64_t{1} << (field_ == kDayOfWeek ? i % 7 : i);
    add(bits);
    return {};
  }

  // L, L-3, LW, 15W; 5L, 5#3, 5#L.
  Status read_day(std::string_view text, bool& taken) {
    taken = true;
    unsigned value_of = 0;
    if (field_ == kDayOfMonth) {
      if (is_word(text, "l")) {
        to_.from_last_ |= 1U;
        return {};
      }
      if (is_word(text, "lw")) {
        to_.nearest_ |= 1U;
        return {};
      }
      if (text.size() > 2 && is_word(text.substr(0, 2), "l-")) {
        if (!number(text.substr(2), value_of) || value_of > 30) return wrong(text, "L-0 to L-30");
        to_.from_last_ |= 1U << value_of;
        return {};
      }
      if (lower_letter(text.back()) == 'w') {
        if (!value(text.substr(0, text.size() - 1), value_of)) return wrong(text);
        to_.nearest_ |= 1U << value_of;
        return {};
      }
    }
    if (field_ == kDayOfWeek) {
      std::size_t const hash = text.find('#');
      bool const ends_in_l = lower_letter(text.back()) == 'l';
      if (hash != std::string_view::npos || ends_in_l) {
        std::string_view const day = text.substr(0, hash != std::string_view::npos ? hash : text.size() - 1);
        if (!value(day, value_of)) return wrong(text);
        auto const bit = static_cast<std::uint8_t>(1U << value_of % 7);
        unsigned nth = 0;
        if (hash == std::string_view::npos || is_word(text.substr(hash + 1), "l")) {
          to_.last_weekdays_ |= bit;
          return {};
        }
        if (!number(text.substr(hash + 1), nth) || nth == 0 || nth > 5) return wrong(text, "# is followed by 1-5 or L");
        to_.nth_weekdays_[nth - 1] |= bit;
        return {};
      }
    }
    taken = false;
    return {};
  }

  void add(std::uint64_t bits) {
    switch (field_) {
      case kSecond: to_.seconds_ = seconds_read_ ? to_.seconds_ | bits : bits; break;
      case kMinute: to_.minutes_ |= bits; break;
      case kHour: to_.hours_ |= static_cast<std::uint32_t>(bits); break;
      case kDayOfMonth: to_.days_ |= static_cast<std::uint32_t>(bits); break;
      case kMonth: to_.months_ |= static_cast<std::uint16_t>(bits); break;
      default: to_.weekdays_ |= static_cast<std::uint8_t>(bits); break;
    }
    seconds_read_ |= field_ == kSecond;
  }

  // A number or a name of the field, within its limits.
  bool value(std::string_view text, unsigned& out) const {
    CalendarField const& field = kCalendarFields[field_];
    for (std::size_t i = 0; i < field.names.size(); i += 3)
      if (is_word(text, field.names.substr(i, 3))) {
        out = field.first + static_cast<unsigned>(i / 3);
        return true;
      }
    return number(text, out) && out >= field.first && out <= field.last;
  }

  static bool number(std::string_view text, unsigned& out) {
    if (text.empty() || text.size() > 4 || !is_field_digit(text[0])) return false;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size();
  }

  [[nodiscard]] Status wrong(std::string_view found, std::string_view why = {}) const {
    CalendarField const& field = kCalendarFields[field_];
    return refuse_calendar(
        fmt::format("field {} ({}), byte {}: {} in {} is wrong{}{}; expected {}, *, lists (1,5), ranges (1-5) or "
                    "steps (*/2)",
                    number_, field.name, found.data() - text_.data() + 1, shown(found), shown(text_),
                    why.empty() ? "" : ", ", why, field.expected));
  }

  Calendar& to_;
  std::string_view text_;
  std::size_t field_{0};
  std::size_t number_{0};
  bool seconds_read_{false};
};

Result<Calendar> Calendar::parse(std::string_view text, TimeMs anchor) {
  if (text.size() > kTextBytesMax)
    return refuse_calendar(fmt::format("{} bytes, expected at most {}", text.size(), kTextBytesMax));
  text = without_blanks(text);
  Calendar calendar;
  if (text.size() > 6 && is_word(text.substr(0, 5), "every") && is_between_fields(text[5])) {
    Result<std::int64_t> const read = parse_duration(without_blanks(text.substr(6)));
    if (!read.ok()) return refuse_calendar("every: " + read.status().message());
    std::int64_t const period = read.value();
    if (period < kEveryMin.value || period > kEveryMax.value)
      return refuse_calendar(fmt::format("{}: expected {} to {}", shown(text), format_duration(kEveryMin.value),
                                         format_duration(kEveryMax.value)));
    calendar.every_ms_ = period;
    calendar.anchor_ms_ = anchor.value % period;
    return calendar;
  }
  if (text.starts_with('@')) {
    std::string_view expression;
    for (NamedCalendar const& named : kNamedCalendars)
      if (is_word(text, named.name)) expression = named.expression;
    if (expression.empty())
      return refuse_calendar(fmt::format("{} is unknown{}, expected {}", shown(text),
                                         is_word(text, "@reboot") ? " here: it has no date" : "", kCalendarExpected));
    text = expression;
  }
  CalendarReader reader{calendar};
  if (Status status = reader.read(text); !status.ok()) return status;
  if (!calendar.has_any_date())
    return refuse_calendar(fmt::format("{} has no date: no month that it names has such a day", shown(text)));
  return calendar;
}

}  // namespace fastjournal::model
