#include "daemon/blocked_signals.h"

#include <initializer_list>

#include "base/check.h"

namespace fastjournal::daemon {

BlockedSignals::BlockedSignals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int const number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&blocked, number);
  FJ_CHECK(::pthread_sigmask(SIG_BLOCK, &blocked, &before_) == 0, "signals can be blocked");
}

bool BlockedSignals::ask_to_end() const {
  sigset_t waiting;
  sigemptyset(&waiting);
  FJ_CHECK(::sigpending(&waiting) == 0, "signals that wait can be asked for");
  return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
}

void BlockedSignals::release() {
  FJ_CHECK(::pthread_sigmask(SIG_SETMASK, &before_, nullptr) == 0, "signals can be let through");
}

}  // namespace fastjournal::daemon
