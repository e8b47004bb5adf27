// `fastjournal log ...` and `fastjournal backup`: what is done with the files
// of logs. They need the daemon's own code for logs (src/tools), and none of
// them but `backup` a daemon that runs.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

// invocation.verb begins with "log ".
[[nodiscard]] ExitCode run_log(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
