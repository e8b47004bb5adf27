#include "clients/programs/fastjournal/group_guard.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace fastjournal::cli {
namespace {

constexpr int kGuardPatienceMs = 10'000;
constexpr int kGuardLookMs = 50;

// In the new process, with calls that are safe after a fork only.
[[noreturn]] void watch_over(int fd) {
  // Terminals, pipes and sockets of the worker end with it, not with us.
  ::setpgid(0, 0);
  ::dup2(fd, STDIN_FILENO);
  ::close_range(STDIN_FILENO + 1, ~0U, 0);
  pid_t group = 0;
  for (pid_t said = 0;;) {
    ssize_t const got = ::read(STDIN_FILENO, &said, sizeof said);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof said) break;
    group = said;
  }
  if (group <= 0) ::_exit(0);
  ::kill(-group, SIGTERM);
  for (int waited = 0; waited < kGuardPatienceMs && ::kill(-group, 0) == 0; waited += kGuardLookMs)
    ::poll(nullptr, 0, kGuardLookMs);
  ::kill(-group, SIGKILL);
  ::_exit(0);
}

}  // namespace

void GroupGuard::start() {
  int ends[2];
  if (pid_ >= 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) watch_over(ends[0]);
  ::close(ends[0]);
  if (pid_ >= 0)
    fd_ = ends[1];
  else
    ::close(ends[1]);
}

void GroupGuard::tell(pid_t group) const {
  if (fd_ < 0) return;
  // A few bytes that are read at once. If somebody has ended the process, no SIGPIPE ends this one.
  while (::send(fd_, &group, sizeof group, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

GroupGuard::~GroupGuard() {
  if (pid_ < 0) return;
  ::close(fd_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace fastjournal::cli
