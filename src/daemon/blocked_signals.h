// Signals to a daemon that does not serve yet. They wait from before its first thread until its loop can take them, and
// a start that takes long asks whether one of them ends it. No handler and nothing global. Such a start ends on the
// spot: startup is crash-safe, so an orderly unwinding adds nothing.
#pragma once

#include <csignal>

namespace fastjournal::daemon {

class BlockedSignals {
 public:
  // TERM, INT, HUP and USR1 wait: for this thread, and those that it makes.
  BlockedSignals();
  ~BlockedSignals() { release(); }
  BlockedSignals(BlockedSignals const&) = delete;
  BlockedSignals& operator=(BlockedSignals const&) = delete;

  // One that ends the daemon waits.
  [[nodiscard]] bool ask_to_end() const;
  // On this thread what waits arrives now. The threads made before leave signals to it.
  void release();

 private:
  sigset_t before_{};
};

}  // namespace fastjournal::daemon
