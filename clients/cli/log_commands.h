// `fastjournal log ...` and `fastjournal backup`: what is done with the files of logs. They need the daemon's own code
// for logs (src/tools), and none of them but `backup` a daemon that runs. One command line with one completion, and the
// code that wrote the files reads them; it works on env::Disk, so that the simulator can damage the logs.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

// invocation.verb begins with "log ".
[[nodiscard]] ExitCode run_log(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
