// Ends the command of a worker that was killed: a process that reads a socket whose other end the worker has. Whatever
// ends the worker closes that end. The kernel's own means (PR_SET_PDEATHSIG, spawn.h) reaches the command alone, and
// not what it has started.
#pragma once

#include <sys/types.h>

namespace fastjournal::cli {

class GroupGuard {
 public:
  GroupGuard() = default;
  GroupGuard(GroupGuard const&) = delete;
  GroupGuard& operator=(GroupGuard const&) = delete;
  ~GroupGuard();

  // Starts the process, once. Without one more process the command runs all the same.
  void start();
  // From now on this process group ends with us: SIGTERM, and SIGKILL to what is left after 10 s. The group's first
  // process says it itself, before it becomes the command: said by us, a kill might come in between. Safe after a fork.
  void guard(pid_t group) const { tell(group); }
  // The group has ended.
  void release() const { tell(0); }

 private:
  void tell(pid_t group) const;

  pid_t pid_{-1};
  int fd_{-1};
};

}  // namespace fastjournal::cli
