// What POSIX calls are wrapped in here; see posix.h.
#include "reactor/posix.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

namespace fastjournal::reactor {

void UniqueFd::reset(int fd) {
  // An interrupted close has closed the descriptor on Linux: never try again.
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
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace fastjournal::reactor
