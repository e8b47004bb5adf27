// The periods of a log (Period, file_choices.h): hours, days and months of UTC, so that no zone's rules move them.
#pragma once

#include <chrono>

#include "fastjournal/types.h"
#include "log/file_choices.h"

namespace fastjournal::log {

namespace periods {

[[nodiscard]] constexpr std::chrono::sys_time<std::chrono::milliseconds> time_of(TimeMs at) {
  return std::chrono::sys_time<std::chrono::milliseconds>{std::chrono::milliseconds{at.value}};
}
[[nodiscard]] constexpr TimeMs ms_of(std::chrono::sys_time<std::chrono::milliseconds> at) {
  return TimeMs{at.time_since_epoch().count()};
}

}  // namespace periods

// The begin of the period that this date is in. Of Period::none: the epoch.
[[nodiscard]] constexpr TimeMs begin_of(Period period, TimeMs at) {
  using namespace std::chrono;
  auto const time = periods::time_of(at);
  switch (period) {
    case Period::none: return {};
    case Period::hour: return periods::ms_of(floor<hours>(time));
    case Period::day: return periods::ms_of(floor<days>(time));
    case Period::month: {
      year_month_day const day{floor<days>(time)};
      return periods::ms_of(sys_days{day.year() / day.month() / 1});
    }
  }
  return {};
}

// The begin of the next one. Of Period::none: never.
[[nodiscard]] constexpr TimeMs end_of(Period period, TimeMs at) {
  using namespace std::chrono;
  TimeMs const begin = begin_of(period, at);
  switch (period) {
    case Period::none: return TimeMs::max();
    case Period::hour: return begin + DurationMs{duration_cast<milliseconds>(hours{1}).count()};
    case Period::day: return begin + DurationMs{duration_cast<milliseconds>(days{1}).count()};
    case Period::month: {
      year_month_day const day{floor<days>(periods::time_of(begin))};
      return periods::ms_of(sys_days{(day.year() / day.month() + months{1}) / 1});
    }
  }
  return TimeMs::max();
}

}  // namespace fastjournal::log
