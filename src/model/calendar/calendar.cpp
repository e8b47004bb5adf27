// Looks for dates on the wall's calendar, and moves them to UTC span by span of the zone. See calendar.h.
//
// The last date before another one is found by halving the time in between: next() is monotone, so nothing must be able
// to go backwards.
#include "model/calendar/calendar.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>

#include "base/hash.h"

namespace fastjournal::model {

namespace {

constexpr std::int64_t kSecondsOfDay = 86'400;
constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::max();
// No clock is put forward or back by more: Manila and Apia changed the side of the date line.
constexpr std::int64_t kShiftSecondsMax = 26 * 3600;
// Spans that next() looks at. It leaves out those without a date, so a few are enough.
constexpr int kSpansMax = 64;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The first of the bits that is not below `from`; -1: there is none.
int first_bit(std::uint64_t bits, std::int64_t from) {
  std::uint64_t const rest = from > 63 ? 0 : bits >> static_cast<unsigned>(from) << static_cast<unsigned>(from);
  return rest == 0 ? -1 : std::countr_zero(rest);
}

bool has_bit(std::uint64_t bits, unsigned bit) { return (bits >> bit & 1U) != 0; }

unsigned last_day_of(int year, unsigned month) {
  using namespace std::chrono;
  return unsigned{year_month_day_last{std::chrono::year{year}, month_day_last{std::chrono::month{month}}}.day()};
}

}  // namespace

struct Calendar::Day {
  explicit Day(std::int64_t day_number) : number(day_number) {
    using namespace std::chrono;
    sys_days const day{days{day_number}};
    year_month_day const date{day};
    year = int{date.year()};
    month = unsigned{date.month()};
    of_month = unsigned{date.day()};
    last = last_day_of(year, month);
    of_week = std::chrono::weekday{day}.c_encoding();
  }

  void go_on() {
    ++number;
    of_week = (of_week + 1) % 7;
    if (++of_month > last) begin_month(month + 1);
  }
  // The first day of the next month.
  void skip_month() {
    unsigned const days = last - of_month + 1;
    number += days;
    of_week = (of_week + days) % 7;
    begin_month(month + 1);
  }

  std::int64_t number;  // since 1970
  int year{0};
  unsigned month{0};
  unsigned of_month{0};
  unsigned last{0};     // of this month
  unsigned of_week{0};  // 0: Sunday

 private:
  void begin_month(unsigned next) {
    month = next;
    of_month = 1;
    if (month > 12) {
      month = 1;
      ++year;
    }
    last = last_day_of(year, month);
  }
};

namespace {

// The working day nearest to a day of a month, in that month: of a Saturday Friday, of a Sunday Monday.
unsigned working_day(unsigned day, unsigned weekday_of_it, unsigned last) {
  if (weekday_of_it == 6) return day > 1 ? day - 1 : day + 2;
  if (weekday_of_it == 0) return day < last ? day + 1 : day - 2;
  return day;
}

}  // namespace

bool Calendar::has_weekday(Day const& day) const {
  if (has_bit(weekdays_, day.of_week)) return true;
  if (has_bit(nth_weekdays_[(day.of_month - 1) / 7], day.of_week)) return true;
  return has_bit(last_weekdays_, day.of_week) && day.of_month + 7 > day.last;
}

bool Calendar::has_day(Day const& day) const {
  if (!has_bit(months_, day.month)) return false;
  bool in_month = has_bit(days_, day.of_month) || has_bit(from_last_, day.last - day.of_month);
  // Only a day at most two days away can be moved to this one.
  for (unsigned other = day.of_month > 2 ? day.of_month - 2 : 1; !in_month && nearest_ != 0 && other <= day.last;
       ++other) {
    if (other > day.of_month + 2) break;
    if (!has_bit(nearest_, other) && !(other == day.last && has_bit(nearest_, 0))) continue;
    unsigned const weekday = (day.of_week + 7 + other - day.of_month) % 7;
    in_month = working_day(other, weekday, day.last) == day.of_month;
  }
  if (both_ || any_day_ || any_weekday_) return in_month && has_weekday(day);
  return in_month || has_weekday(day);
}

std::int64_t Calendar::in_day(std::int64_t second_of_day) const {
  std::int64_t hour = second_of_day / 3600;
  std::int64_t minute = second_of_day / 60 % 60;
  std::int64_t second = first_bit(seconds_, second_of_day % 60);
  if (second < 0) ++minute;
  if (std::int64_t const found = first_bit(minutes_, minute);
      !has_bit(hours_, static_cast<unsigned>(hour)) || found < 0) {
    hour = first_bit(hours_, has_bit(hours_, static_cast<unsigned>(hour)) ? hour + 1 : hour);
    if (hour < 0) return -1;
    minute = first_bit(minutes_, 0);
    second = -1;
  } else if (found != minute) {
    minute = found;
    second = -1;
  }
  if (second < 0) second = first_bit(seconds_, 0);
  return hour * 3600 + minute * 60 + second;
}

// On the wall's calendar; kNoTime: there is none before the end.
std::int64_t Calendar::at_or_after(std::int64_t local_s) const {
  constexpr std::int64_t kEndDay = kEnd.value / 1000 / kSecondsOfDay;
  Day day{floor_divide(local_s, kSecondsOfDay)};
  std::int64_t second = local_s - day.number * kSecondsOfDay;
  while (day.number <= kEndDay) {
    if (!has_bit(months_, day.month)) {
      day.skip_month();
      second = 0;
      continue;
    }
    if (has_day(day))
      if (std::int64_t const found = in_day(second); found >= 0) return day.number * kSecondsOfDay + found;
    day.go_on();
    second = 0;
  }
  return kNoTime;
}

bool Calendar::has_any_date() const {
  constexpr std::int64_t kFirstDay = 10'957;  // 2000-01-01
  return at_or_after(kFirstDay * kSecondsOfDay) != kNoTime;
}

TimeMs Calendar::next_of_interval(std::int64_t after_ms) const {
  std::int64_t const periods = floor_divide(after_ms - anchor_ms_, every_ms_) + 1;
  std::int64_t const date = anchor_ms_ + periods * every_ms_;
  return date < kEnd.value ? TimeMs{date} : TimeMs::max();
}

TimeMs Calendar::next(TimeMs after, Zone const& zone) const {
  std::int64_t const after_ms = std::max<std::int64_t>(after.value, -1);
  if (after_ms >= kEnd.value) return TimeMs::max();
  if (every_ms_ != 0) return next_of_interval(after_ms);
  std::int64_t second = floor_divide(after_ms, 1000) + 1;
  for (int i = 0; i < kSpansMax && second * 1000 < kEnd.value; ++i) {
    ZoneSpan const span = zone.at(second);
    std::int64_t local = second + span.offset_s;
    if (second - kShiftSecondsMax < span.begin_s) {
      std::int64_t const shown_before =
          span.begin_s + zone.at(span.begin_s - 1).offset_s;  // when the clock was changed
      if (second == span.begin_s && !each_hour_ && at_or_after(shown_before) < local) return TimeMs{second * 1000};
      if (!repeats_) local = std::max(local, shown_before);
    }
    std::int64_t const found = at_or_after(local);
    if (found == kNoTime) return TimeMs::max();
    std::int64_t const date = found - span.offset_s;
    if (date < span.end_s) return date * 1000 < kEnd.value ? TimeMs{date * 1000} : TimeMs::max();
    // What this span shows first was looked at as well, so that none of what follows shows it again.
    std::int64_t const near = found - 2 * kShiftSecondsMax;
    second = second == span.begin_s ? std::max(span.end_s, near) : span.end_s;
  }
  return TimeMs::max();
}

TimeMs Calendar::last(TimeMs after, TimeMs before, Zone const& zone) const {
  TimeMs const first = next(after, zone);
  if (first >= before) return kNone;
  std::int64_t const before_ms = std::min(before.value, kEnd.value);
  if (every_ms_ != 0) return {anchor_ms_ + floor_divide(before_ms - 1 - anchor_ms_, every_ms_) * every_ms_};
  // In seconds: `low` is a date, and none lies from `high` on. The last one is mostly near the end.
  auto const next_of = [&](std::int64_t second) { return next({second * 1000}, zone).value / 1000; };
  std::int64_t low = first.value / 1000;
  std::int64_t high = floor_divide(before_ms - 1, 1000) + 1;
  for (std::int64_t step = 1; high - step > low; step *= 2) {
    std::int64_t const date = next_of(high - step);
    if (date < high) {
      low = date;
      break;
    }
    high = high - step + 1;
  }
  while (high - low > 1) {
    std::int64_t const middle = low + (high - low - 1) / 2;
    std::int64_t const date = next_of(middle);
    if (date < high)
      low = date;
    else
      high = middle + 1;
  }
  return {low * 1000};
}

std::uint64_t Calendar::count(TimeMs after, TimeMs before, Zone const& zone, std::uint64_t max) const {
  std::uint64_t dates = 0;
  for (TimeMs date = next(after, zone); dates < max && date < before; date = next(date, zone)) ++dates;
  return dates;
}

DurationMs jitter(std::string_view name, TimeMs date, DurationMs width) {
  if (width.value <= 0) return {};
  std::uint64_t const drawn = hash64(name, static_cast<std::uint64_t>(date.value));
  return {static_cast<std::int64_t>(drawn % (static_cast<std::uint64_t>(width.value) + 1))};
}

}  // namespace fastjournal::model
