// What all commands that we start are given: arguments and environment as arrays of C, and descriptors.
#pragma once

#include <spawn.h>

#include <string>
#include <vector>

namespace fastjournal::cli {

// What becomes of descriptors in the new process.
struct SpawnActions {
  posix_spawn_file_actions_t list;
  SpawnActions() { posix_spawn_file_actions_init(&list); }
  SpawnActions(SpawnActions const&) = delete;
  SpawnActions& operator=(SpawnActions const&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&list); }
};

// Null-terminated; borrows from the strings.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& strings);
// Ours with these ("NAME=value"). Variables FJ_... of ours are left out: they are of an outer command's row or document.
[[nodiscard]] std::vector<std::string> environment_with(std::vector<std::string> const& variables);

}  // namespace fastjournal::cli
