// What all commands that we start are given: arguments and environment as arrays of C, and descriptors.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::cli {

// What becomes of descriptors in the new process.
struct SpawnActions {
  posix_spawn_file_actions_t list;
  SpawnActions() { posix_spawn_file_actions_init(&list); }
  SpawnActions(SpawnActions const&) = delete;
  SpawnActions& operator=(SpawnActions const&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&list); }
};

// A process group of its own, which no signal of our terminal reaches, and no blocked signals.
struct SpawnAttributes {
  posix_spawnattr_t list;
  SpawnAttributes();
  SpawnAttributes(SpawnAttributes const&) = delete;
  SpawnAttributes& operator=(SpawnAttributes const&) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&list); }
};

// Null-terminated; borrows from the strings.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& strings);
// Ours with these ("NAME=value"). Variables FJ_... of ours are left out: they are of an outer command's row or document.
[[nodiscard]] std::vector<std::string> environment_with(std::vector<std::string> const& variables);

// A command that ends with us: it gets SIGTERM when this thread ends, however it ends (posix_spawn cannot ask for that).
struct Dependent {
  std::vector<std::string> words{};                // the program is searched in PATH
  std::vector<std::string> environment{};          // "NAME=value"
  std::vector<std::pair<int, int>> descriptors{};  // of ours, and what it is there
  bool has_group{false};                           // a process group of its own
};
// Signals blocked here are not blocked there. Its process id; or too_large if words and environment are more than the
// system takes, io_error with the reason for anything else.
[[nodiscard]] Result<pid_t> start_dependent(Dependent dependent);

// Whether start_dependent() would find the program: ok, or io_error with the reason.
[[nodiscard]] Status find_program(std::string const& name);

}  // namespace fastjournal::cli
