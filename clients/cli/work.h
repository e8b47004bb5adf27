// `fastjournal work`: lease a row, run a command for it, say how it went, until told to stop.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

// Blocks SIGTERM, SIGINT, SIGHUP, SIGCHLD and SIGPIPE while it runs and reads them from a descriptor.
[[nodiscard]] ExitCode work(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
