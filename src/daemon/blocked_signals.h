// Signals to a daemon that does not serve yet. They are blocked from before its first thread until its loop can handle
// them. A long start checks whether a pending signal ends it; no handler and nothing global. Such a start ends at once:
// startup is crash-safe, so an orderly unwinding adds nothing.
#pragma once

#include <csignal>

namespace fastjournal::daemon {

class BlockedSignals {
 public:
  // Blocks TERM, INT, HUP and USR1 for this thread and the threads that it makes.
  BlockedSignals();
  ~BlockedSignals() { release(); }
  BlockedSignals(BlockedSignals const&) = delete;
  BlockedSignals& operator=(BlockedSignals const&) = delete;

  // Whether a signal that ends the daemon is pending.
  [[nodiscard]] bool ask_to_end() const;
  // Pending signals are delivered to this thread now. Threads made before keep them blocked.
  void release();

 private:
  sigset_t before_{};
};

}  // namespace fastjournal::daemon
