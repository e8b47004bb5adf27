// Common parts of the peers' programs: finding the program or naming its package, starting it in a temporary folder,
// and connecting to it once it listens.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/child_process.h"

namespace fastjournal::bench {

// The path of an installed program; throws std::runtime_error that names the Debian package.
[[nodiscard]] std::string find_program(std::string const& name, std::string const& package,
                                       std::vector<std::string> const& folders = {});
// A TCP port of 127.0.0.1 that was free a moment ago.
[[nodiscard]] int free_port();
// Tries to connect until somebody listens; throws std::runtime_error when the program ends or does not come up.
void wait_until_listening(std::string const& address, test::ChildProcess& child);

}  // namespace fastjournal::bench
