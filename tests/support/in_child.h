// Runs a part of a test in a child process, as limits and rights are those of a whole process.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>

namespace fastjournal::test {

// Returns the exit code; -1 if a signal ended it, -2 if it could not be started.
inline int run_in_child(std::function<int()> const& body) {
  pid_t const child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The same of a body that says something, for the caller: also what it wrote to stderr, as it may end by a check.
// A body that never ends is ended by a signal.
inline int run_in_child(std::function<std::string()> const& body, rlim_t cpu_s_max, std::string& said) {
  int ends[2];
  if (::pipe(ends) != 0) return -2;
  pid_t const child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    // Of a test framework's, the test would go on here.
    ::signal(SIGABRT, SIG_DFL);
    rlimit const limit{cpu_s_max, cpu_s_max};
    ::setrlimit(RLIMIT_CPU, &limit);
    std::string const out = body();
    ::_exit(::write(ends[1], out.data(), out.size()) == static_cast<ssize_t>(out.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  char some[512];
  for (ssize_t got = 0; (got = ::read(ends[0], some, sizeof some)) > 0;)
    said.append(some, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace fastjournal::test
