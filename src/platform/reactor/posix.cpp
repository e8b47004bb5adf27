// See posix.h.
#include "platform/reactor/posix.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <limits>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::reactor {

void UniqueFd::reset(int fd) {
  // On Linux an interrupted close has closed the descriptor: never retry.
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

std::string_view error_words(int error) {
  char const* const words = ::strerrordesc_np(error);
  return words == nullptr ? std::string_view{"unknown error"} : std::string_view{words};
}

Status system_failure(std::string_view call, std::string_view what, int error) {
  return {Code::io_error, fmt::format("{} {}: {}", call, what, error_words(error))};
}

std::int64_t monotonic_us() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

Result<UniqueFd> watch_wall_clock() {
  UniqueFd timer{::timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC)};
  if (!timer.valid()) return system_failure("timerfd_create", "of the wall clock", errno);
  // A date that never comes; the timer becomes readable only when the clock is set.
  itimerspec never{};
  never.it_value.tv_sec = std::numeric_limits<std::int32_t>::max();
  never.it_value.tv_sec *= sizeof(time_t) > 4 ? 1000 : 1;
  if (::timerfd_settime(timer.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, nullptr) != 0)
    return system_failure("timerfd_settime", "of the wall clock", errno);
  return timer;
}

}  // namespace fastjournal::reactor
