// Tells threads that the program stops.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace fastjournal {

// Given once, on the loop's thread; seen by all threads.
class Stop {
 public:
  Stop() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Stop() {
    if (fd_ >= 0) ::close(fd_);
  }
  Stop(Stop const&) = delete;
  Stop& operator=(Stop const&) = delete;

  void give() {
    given_ = true;
    std::uint64_t const one = 1;
    if (fd_ >= 0) [[maybe_unused]]
      ssize_t const put = ::write(fd_, &one, sizeof one);
  }
  [[nodiscard]] bool is_given() const { return given_.load(std::memory_order_relaxed); }
  // Readable once it was given; -1: there are no descriptors left, and waits look for it now and then.
  [[nodiscard]] int fd() const { return fd_; }

 private:
  std::atomic<bool> given_{false};
  int fd_;
};

}  // namespace fastjournal
