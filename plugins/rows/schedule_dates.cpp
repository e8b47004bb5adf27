#include "plugins/rows/schedule_dates.h"

#include <algorithm>

namespace fastjournal::rows {
namespace {

// The dates that come later than a jitter are looked at one by one, up to here.
constexpr int kJitteredMax = 100;

std::int64_t behind(ScheduleRules const& rules, model::Calendar const& calendar, Zone const& zone, std::int64_t after) {
  TimeMs const next = calendar.next(TimeMs{std::max(after, rules.begins - 1)}, zone);
  return next == TimeMs::max() || (rules.ends != 0 && next.value > rules.ends) ? kNoDate : next.value;
}

// How many dates are in [from, to).
std::uint64_t count(Schedule const& schedule, std::int64_t from, std::int64_t to, std::uint64_t max) {
  return schedule.calendar->count(TimeMs{from - 1}, TimeMs{to}, *schedule.zone, max);
}

// The last date whose row is due by now, at least the next one.
std::int64_t newest_due(Schedule const& schedule, std::int64_t now) {
  std::int64_t const next = schedule.state.next;
  std::int64_t const end = schedule.rules.ends == 0 ? now : std::min(now, schedule.rules.ends);
  TimeMs date{end + 1};
  for (int looked = 0; looked < kJitteredMax; ++looked) {
    date = schedule.calendar->last(TimeMs{next}, date, *schedule.zone);
    if (date == model::Calendar::kNone) break;
    if (schedule.due(date.value) <= now) return date.value;
  }
  return next;
}

// The first of the last so many dates up to `newest`.
std::int64_t first_of_last(Schedule const& schedule, std::int64_t from, std::int64_t newest, std::uint64_t max) {
  if (count(schedule, from, newest + 1, max + 1) <= max) return from;
  // From `many` on there are more, from `few` on no more than these.
  std::int64_t many = from;
  std::int64_t few = newest;
  while (few - many > 1) {
    std::int64_t const middle = many + (few - many) / 2;
    (count(schedule, middle, newest + 1, max + 1) > max ? many : few) = middle;
  }
  return few;
}

}  // namespace

std::int64_t date_behind(Schedule const& schedule, std::int64_t after) {
  return behind(schedule.rules, *schedule.calendar, *schedule.zone, after);
}

std::int64_t first_date(ScheduleRules const& rules, model::Calendar const& calendar, Zone const& zone,
                        std::int64_t now) {
  return behind(rules, calendar, zone, now);
}

NextDates dates_due(Schedule const& schedule, std::int64_t now) {
  ScheduleRules const& rules = schedule.rules;
  std::int64_t const next = schedule.state.next;
  std::int64_t const newest = newest_due(schedule, now);
  bool const on_time = now - schedule.due(newest) <= kOnTimeMs;
  std::int64_t const oldest = rules.window == 0 ? next : std::max(next, now - rules.window);
  NextDates out;
  switch (rules.catch_up) {
    case CatchUp::none: out.date = on_time ? newest : 0; break;
    case CatchUp::last: out.date = on_time || newest >= oldest ? newest : 0; break;
    case CatchUp::all:
      if (newest >= oldest)
        // Dates and not the bounds of the window.
        out.date =
            std::max(next, date_behind(schedule, first_of_last(schedule, oldest, newest, rules.catch_up_max) - 1));
      else if (on_time)
        out.date = newest;
      break;
  }
  std::int64_t const end = out.date == 0 ? newest + 1 : out.date;
  if (end > next) out.missed = static_cast<std::uint32_t>(count(schedule, next, end, kMissedMax));
  out.next = date_behind(schedule, end - (out.date == 0 ? 1 : 0));
  return out;
}

}  // namespace fastjournal::rows
