// Runs a part of a test in a child process, as limits and rights are those of a whole process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace fastjournal::test {

// Returns the exit code; -1 if a signal ended it, -2 if it could not be started.
inline int run_in_child(std::function<int()> const& body) {
  pid_t const child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace fastjournal::test
