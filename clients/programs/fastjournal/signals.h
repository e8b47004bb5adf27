// Signals as input of a descriptor, so that one wait covers them and everything else, and no handler interrupts the
// code.
#pragma once

#include <signal.h>

#include <initializer_list>

namespace fastjournal::cli {

// Blocks the signals for this thread during its lifetime.
class SignalQueue {
 public:
  explicit SignalQueue(std::initializer_list<int> numbers);
  SignalQueue(SignalQueue const&) = delete;
  SignalQueue& operator=(SignalQueue const&) = delete;
  ~SignalQueue();

  [[nodiscard]] bool ok() const { return fd_ >= 0; }
  // Readable while a signal is pending.
  [[nodiscard]] int fd() const { return fd_; }
  // The number of the next signal, or 0.
  [[nodiscard]] int next();

 private:
  int fd_{-1};
  sigset_t before_{};
};

}  // namespace fastjournal::cli
