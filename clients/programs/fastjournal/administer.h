// Commands for the daemon itself, through its unix socket: `apply`, `reload`, `stop`.
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

// RELOAD in two steps: a dry run, then the change. `reload` does not ask in between, `--dry-run` omits the second step.
[[nodiscard]] ExitCode apply_tables(Invocation const& invocation, Console& console, client::Connection& connection);

// STOP, then waits for the end of the daemon.
[[nodiscard]] ExitCode stop_daemon(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
