// Runs a parsed command line: connect, ask, print.
#pragma once

#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

// Whether the command needs a daemon.
[[nodiscard]] bool asks_daemon(Invocation const& invocation);
[[nodiscard]] ExitCode run(Invocation const& invocation, Console& console);

// From the global options.
[[nodiscard]] client::Options connection_options(Invocation const& invocation);
// Connects with these options. If not ok, the caller calls `complain`.
[[nodiscard]] Result<std::unique_ptr<client::Connection>> connect(Invocation const& invocation);

}  // namespace fastjournal::cli
