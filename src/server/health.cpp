#include "server/health.h"

#include <string>

namespace fastjournal::server {

void Health::begin() {
  is_unwell_ = alerts_.is_up(kClockJump) || clock_.time().off_us() < -TimeKeeper::kStepUs ||
               engine_.shortages().check(clock_.time().now());
  check_at_us_ = clock_.monotonic_us() + TimeKeeper::kSlewEveryUs;
}

void Health::check(MemoryGuard& guard) {
  std::int64_t const off_us = clock_.time().slew();
  // A clock that is ahead is followed in the next turn.
  if (off_us > TimeKeeper::kStepUs) network_.turn_again();
  bool const clock_off = off_us < -TimeKeeper::kStepUs;
  bool const was_off = alerts_.is_up(kClockJump);
  if (clock_off && !was_off) {
    std::string const text = "the wall clock is " + std::to_string(-off_us / 1000) +
                             " ms behind the journal's time, which never goes back and waits for it by going slower: "
                             "it was set back, or was ahead before";
    alerts_.raise(kClockJump, 40, text, "clock");
  } else if (was_off && !clock_off) {
    alerts_.lower(kClockJump);
  }
  if (is_unwell_) network_.turn_again();  // alerts that are over are lowered in a turn of their own
  bool const crowded = guard.check_alerts();
  is_unwell_ = engine_.shortages().check(clock_.last()) || clock_off || was_off || crowded;
}

}  // namespace fastjournal::server
