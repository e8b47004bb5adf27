// The engine's `now` (DECISIONS 14): the wall clock at the start plus monotonic
// time, drawn slowly towards the wall clock, never below what the logs know.
// So work falls due at its date also when somebody sets the clock, and time never goes back.
#pragma once

#include <cstdint>

#include "env/clock.h"
#include "fastjournal/types.h"

namespace fastjournal::server {

class TimeKeeper {
 public:
  // A difference to the wall clock above this is an alert.
  static constexpr std::int64_t kAlertUs = 1'000'000;

  // So often it is moved.
  static constexpr std::int64_t kSlewEveryUs = 1'000'000;

  explicit TimeKeeper(env::Clock& clock) : clock_(clock) { offset_us_ = clock_.wall_us() - clock_.monotonic_us(); }

  // Never below `date` from here on.
  void raise_to(TimeMs date) {
    std::int64_t const ahead = date.value * 1000 - (clock_.monotonic_us() + offset_us_);
    if (ahead > 0) offset_us_ += ahead;
  }

  // To measure with.
  [[nodiscard]] env::Clock& clock() { return clock_; }
  [[nodiscard]] std::int64_t now_us() { return clock_.monotonic_us() + offset_us_; }
  [[nodiscard]] TimeMs now() { return TimeMs{now_us() / 1000}; }
  [[nodiscard]] std::int64_t monotonic_us() { return clock_.monotonic_us(); }

  // The moment of the monotonic clock at which now() is `date`; INT64_MAX for never.
  [[nodiscard]] std::int64_t monotonic_of(TimeMs date) const {
    if (date.value > INT64_MAX / 1000 - 1) return INT64_MAX;
    return date.value * 1000 - offset_us_;
  }

  // Moves a little towards the wall clock, at most 1/200 of the time since the
  // last call; returns the difference that is left (wall clock minus now).
  std::int64_t slew() {
    std::int64_t const monotonic = clock_.monotonic_us();
    std::int64_t const elapsed = monotonic - slewed_at_us_;
    slewed_at_us_ = monotonic;
    std::int64_t const difference = clock_.wall_us() - (monotonic + offset_us_);
    std::int64_t const most = elapsed / 200;
    std::int64_t const step = difference > most ? most : difference < -most ? -most : difference;
    offset_us_ += step;
    return difference - step;
  }

 private:
  env::Clock& clock_;
  std::int64_t offset_us_{0};
  std::int64_t slewed_at_us_{0};
};

}  // namespace fastjournal::server
