// Which of its dates a schedule does next, and which ones it leaves out since no row could be made at the time. Pure.
#pragma once

#include <cstdint>

#include "plugins/rows/schedules.h"

namespace fastjournal::rows {

// A date that came so long ago is on time, whatever its schedule says of those that were missed.
inline constexpr std::int64_t kOnTimeMs = 60'000;
// Missed dates are counted up to here at a time.
inline constexpr std::uint32_t kMissedMax = 1000;

struct NextDates {
  std::int64_t date{0};     // makes a row; 0: none does
  std::uint32_t missed{0};  // before it, or all
  std::int64_t next{kNoDate};
};

// Of a schedule that can run. The first date behind this one; kNoDate: there is none.
[[nodiscard]] std::int64_t date_behind(Schedule const& schedule, std::int64_t after);
// Of one whose next date is known, and due by now.
[[nodiscard]] NextDates dates_due(Schedule const& schedule, std::int64_t now);
// Of rules that are new now, with calendar and zone.
[[nodiscard]] std::int64_t first_date(ScheduleRules const& rules, model::Calendar const& calendar, Zone const& zone,
                                      std::int64_t now);

}  // namespace fastjournal::rows
