// Common parts of the peers' programs: finding the program or naming its package, starting it in a temporary folder,
// and connecting to it once it listens.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/postgresql_server.h"

namespace fastjournal::bench {

using test::find_program;
// A TCP port of 127.0.0.1 that was free a moment ago.
[[nodiscard]] int free_port();
// Tries to connect until somebody listens; throws std::runtime_error when the program ends or does not come up.
void wait_until_listening(std::string const& address, test::ChildProcess& child);
// The words that start our daemon on the tables in `root`, which is made with them, by default settings.
[[nodiscard]] std::vector<std::string> daemon_words(std::filesystem::path const& root, std::string const& address);
// Of one process: resident memory, and processor time so far.
[[nodiscard]] std::uint64_t resident_bytes(pid_t process);
[[nodiscard]] double processor_seconds(pid_t process);

}  // namespace fastjournal::bench
