// Common parts of the peers' programs: finding the program or naming its package, starting it in a temporary folder,
// and connecting to it once it listens.
#pragma once

#include <memory>
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

}  // namespace fastjournal::bench
