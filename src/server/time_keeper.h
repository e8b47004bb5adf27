// The engine's `now`: the wall clock at the start plus the time that passed since, sleep of the computer included,
// never below what the logs know, and never going back. A change of the wall clock meanwhile:
//
//   ahead by more than a second    it was set forward, or corrected: `now` follows at once (look)
//   behind, or ahead by less       `now` approaches it, by 1/200 of the time that passes (slew)
//
// look() reports lost time, a step or a sleep, once: leases are extended by it.
//
// The clocks are compared once a second, and when the kernel reports that one was set: a turn reads only one of them,
// and no sleep of more than a second is missed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/env/clock.h"
#include "fastjournal/types.h"

namespace fastjournal::server {

class TimeKeeper {
 public:
  // A larger difference is a step of the clock or a sleep, not drift that a time service corrects.
  static constexpr std::int64_t kStepUs = 1'000'000;

  // How often `now` is slewed.
  static constexpr std::int64_t kSlewEveryUs = 1'000'000;

  struct Lost {
    DurationMs set{};    // the wall clock was set forward by it
    DurationMs slept{};  // the computer slept
    [[nodiscard]] bool any() const { return set.value != 0 || slept.value != 0; }
  };

  explicit TimeKeeper(env::Clock& clock) : clock_(clock) { begin(); }

  // Restarts: the time before is forgotten.
  void begin() {
    std::int64_t const monotonic = clock_.monotonic_us();
    offset_us_ = clock_.wall_us() - monotonic;
    slept_us_ = monotonic - clock_.awake_us();
    looked_us_ = slewed_at_us_ = monotonic;
    last_us_ = INT64_MIN;
    set_ = false;
  }

  // As begin, where now() is this date, which is later than the wall clock's.
  void begin_at(TimeMs date) {
    begin();
    offset_us_ = date.value * 1000 - clock_.monotonic_us();
  }

  // To measure with.
  [[nodiscard]] env::Clock& clock() { return clock_; }
  [[nodiscard]] std::int64_t now_us() { return last_us_ = std::max(last_us_, clock_.monotonic_us() + offset_us_); }
  [[nodiscard]] TimeMs now() { return TimeMs{now_us() / 1000}; }
  [[nodiscard]] std::int64_t monotonic_us() { return clock_.monotonic_us(); }
  // How far the wall clock is ahead of now().
  [[nodiscard]] std::int64_t off_us() { return clock_.wall_us() - now_us(); }

  // The moment of the monotonic clock at which now() is `date`; INT64_MAX for never.
  [[nodiscard]] std::int64_t monotonic_of(TimeMs date) const {
    if (date.value > INT64_MAX / 1000 - 1) return INT64_MAX;
    return date.value * 1000 - offset_us_;
  }

  // The wall clock was set: the next look compares all clocks.
  void clock_was_set() { set_ = true; }

  // The time, and how much of it was lost. All clocks are compared only if kStepUs have passed: sleeps are longer than
  // that, and a step that the kernel does not report may go unnoticed so long.
  [[nodiscard]] Lost look() {
    std::int64_t const monotonic = clock_.monotonic_us();
    Lost const lost = set_ || monotonic - looked_us_ >= kStepUs ? look_at_all(monotonic) : Lost{};
    last_us_ = std::max(last_us_, monotonic + offset_us_);
    return lost;
  }
  // now() at the last look.
  [[nodiscard]] TimeMs seen() const { return TimeMs{last_us_ / 1000}; }

  // Slews towards the wall clock, by at most 1/200 of the time since the last call, of which two seconds count at most,
  // or now() would stand still after a long sleep. Returns the remaining difference (wall clock minus now); a step
  // forward is left to look().
  std::int64_t slew() {
    std::int64_t const monotonic = clock_.monotonic_us();
    std::int64_t const elapsed = std::min(monotonic - slewed_at_us_, 2 * kSlewEveryUs);
    slewed_at_us_ = monotonic;
    std::int64_t const difference = clock_.wall_us() - (monotonic + offset_us_);
    if (difference > kStepUs) {
      set_ = true;
      return difference;
    }
    std::int64_t const most = elapsed / 200;
    std::int64_t const step = std::clamp(difference, -most, most);
    offset_us_ += step;
    return difference - step;
  }

 private:
  Lost look_at_all(std::int64_t monotonic) {
    set_ = false;
    looked_us_ = monotonic;
    // In whole milliseconds, as dates are: the rest is slewed, or reported with the next sleep.
    Lost lost;
    std::int64_t const slept = monotonic - clock_.awake_us() - slept_us_;
    if (slept > kStepUs) lost.slept.value = slept / 1000;
    slept_us_ += lost.slept.value * 1000;
    std::int64_t const now_us = std::max(last_us_, monotonic + offset_us_);
    std::int64_t const ahead = clock_.wall_us() - now_us;
    if (ahead <= kStepUs) return lost;
    lost.set.value = ahead / 1000;
    offset_us_ = now_us + lost.set.value * 1000 - monotonic;
    return lost;
  }

  env::Clock& clock_;
  std::int64_t offset_us_{0};        // now minus the monotonic clock
  std::int64_t last_us_{INT64_MIN};  // last value of now()
  std::int64_t slept_us_{0};         // of the computer's sleep, what was reported
  std::int64_t looked_us_{0};
  std::int64_t slewed_at_us_{0};
  bool set_{false};
};

}  // namespace fastjournal::server
