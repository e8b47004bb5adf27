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

  // From now on this process group ends with us: SIGTERM, and SIGKILL to what is left after 10 s. The first call starts
  // the process. Without one more process the command runs all the same.
  void guard(pid_t group);
  // The group has ended.
  void release() { tell(0); }

 private:
  void tell(pid_t group) const;

  pid_t pid_{-1};
  int fd_{-1};
};

}  // namespace fastjournal::cli
