#include "model/date.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace fastjournal::model {

std::string format_date(std::int64_t milliseconds) {
  using namespace std::chrono;
  sys_time<std::chrono::milliseconds> const moment{std::chrono::milliseconds{milliseconds}};
  auto const day = floor<days>(moment);
  year_month_day const date{day};
  hh_mm_ss const clock{moment - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", int{date.year()}, unsigned{date.month()},
                     unsigned{date.day()}, clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::string format_span(std::int64_t milliseconds) {
  constexpr std::int64_t kSecond = 1000;
  constexpr std::int64_t kMinute = 60 * kSecond;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  std::int64_t const ms = std::max<std::int64_t>(0, milliseconds);
  auto const two = [ms](std::int64_t large, char const* large_name, std::int64_t small, char const* small_name) {
    std::int64_t const rest = ms % large / small;
    return rest == 0 ? fmt::format("{} {}", ms / large, large_name)
                     : fmt::format("{} {} {} {}", ms / large, large_name, rest, small_name);
  };
  if (ms < kSecond) return fmt::format("{} ms", ms);
  if (ms < kMinute)
    return ms % kSecond / 100 == 0 ? fmt::format("{} s", ms / kSecond)
                                   : fmt::format("{}.{} s", ms / kSecond, ms % kSecond / 100);
  if (ms < kHour) return two(kMinute, "min", kSecond, "s");
  if (ms < kDay) return two(kHour, "h", kMinute, "min");
  return two(kDay, "d", kHour, "h");
}

}  // namespace fastjournal::model
