// How all commands are started: with their words, their environment and their descriptors, and so that they end with
// us.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::cli {

class GroupGuard;

// Ours with these ("NAME=value"). Variables FJ_... of ours are left out: they are of an outer command's row or document.
[[nodiscard]] std::vector<std::string> environment_with(std::vector<std::string> const& variables);

// A command that ends with us: it gets SIGTERM when this thread ends, however it ends (posix_spawn cannot ask for that).
struct Dependent {
  std::vector<std::string> words{};
  std::string program{};                           // default: the first word, searched in PATH
  std::vector<std::string> environment{};          // "NAME=value"
  std::vector<std::pair<int, int>> descriptors{};  // of ours, and what it is there
  // Set: it has a process group of its own, which no signal of our terminal reaches, and which this ends if we are
  // killed. release() it at the end of the command.
  GroupGuard* guard{nullptr};
};
// Signals blocked here are not blocked there. Its process id; or too_large if words and environment are more than the
// system takes, io_error with the reason for anything else.
[[nodiscard]] Result<pid_t> start_dependent(Dependent dependent);

// Whether start_dependent() would find the program: ok, or io_error with the reason.
[[nodiscard]] Status find_program(std::string const& name);

}  // namespace fastjournal::cli
