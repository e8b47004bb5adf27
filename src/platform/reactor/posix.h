// Small POSIX helpers for every file of this folder: a descriptor that closes itself, the text of an errno, the clock
// of env::Network::wake_at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"

namespace fastjournal::reactor {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  UniqueFd(UniqueFd const&) = delete;
  UniqueFd& operator=(UniqueFd const&) = delete;
  ~UniqueFd() { reset(); }

  void reset(int fd = -1);
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }

 private:
  int fd_{-1};
};

// "No space left on device": the same text in every locale.
[[nodiscard]] std::string_view error_words(int error);

// "bind 127.0.0.1:80: Permission denied".
[[nodiscard]] Status system_failure(std::string_view call, std::string_view what, int error);

// As env::Clock::monotonic_us.
[[nodiscard]] std::int64_t monotonic_us();

// Readable after CLOCK_REALTIME was set or the computer woke up; reading it then fails with ECANCELED.
[[nodiscard]] Result<UniqueFd> watch_wall_clock();

}  // namespace fastjournal::reactor
