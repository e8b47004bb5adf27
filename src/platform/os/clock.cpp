// The real clock; see clock.h.
#include "platform/os/clock.h"

#include <time.h>

namespace fastjournal::os {
namespace {

std::int64_t read_us(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

std::int64_t PosixClock::wall_us() { return read_us(CLOCK_REALTIME); }
std::int64_t PosixClock::monotonic_us() { return read_us(CLOCK_BOOTTIME); }
std::int64_t PosixClock::awake_us() { return read_us(CLOCK_MONOTONIC); }

}  // namespace fastjournal::os
