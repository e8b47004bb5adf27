// Signals as something to be read, so that they wait in the same place as
// everything else and no handler interrupts anything.
#pragma once

#include <signal.h>

#include <initializer_list>

namespace fastjournal::cli {

// Blocks the signals for this thread while it lives.
class SignalQueue {
 public:
  explicit SignalQueue(std::initializer_list<int> numbers);
  SignalQueue(SignalQueue const&) = delete;
  SignalQueue& operator=(SignalQueue const&) = delete;
  ~SignalQueue();

  [[nodiscard]] bool ok() const { return fd_ >= 0; }
  // Readable while a signal waits.
  [[nodiscard]] int fd() const { return fd_; }
  // The next one's number, or 0.
  [[nodiscard]] int next();

 private:
  int fd_{-1};
  sigset_t before_{};
};

}  // namespace fastjournal::cli
