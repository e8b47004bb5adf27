#include "clients/programs/fastjournal/signals.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace fastjournal::cli {

SignalQueue::SignalQueue(std::initializer_list<int> numbers) {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (int const number : numbers) sigaddset(&wanted, number);
  pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  fd_ = ::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
}

SignalQueue::~SignalQueue() {
  if (fd_ >= 0) {
    // A SIGTERM already read must not be delivered again when the signals are unblocked.
    while (next() != 0) continue;
    ::close(fd_);
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalQueue::next() {
  signalfd_siginfo info{};
  if (fd_ < 0 || ::read(fd_, &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace fastjournal::cli
