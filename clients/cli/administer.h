// The daemon itself, through its unix socket: `apply`, `reload`, `stop`.
#pragma once

#include "clients/cli/console.h"
#include "clients/lib/client.h"

namespace fastjournal::cli {

// RELOAD in two steps: what it would do, then doing it. `reload` does not ask, `--dry-run` does not do it.
[[nodiscard]] ExitCode apply_tables(Invocation const& invocation, Console& console, client::Connection& connection);

// STOP, and waits until the daemon has ended.
[[nodiscard]] ExitCode stop_daemon(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
