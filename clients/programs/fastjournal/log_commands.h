// `fastjournal log ...` and `fastjournal backup`: operations on the files of logs. They use the daemon's own code for
// logs (clients/programs/logs); only `backup` needs a running daemon. So there is one command line with one completion, and files
// are read by the code that wrote them; it works on env::Disk, so that the simulator can damage the logs.
#pragma once

#include "clients/programs/fastjournal/commands.h"

namespace fastjournal::cli {

// invocation.verb must begin with "log ".
[[nodiscard]] ExitCode run_log(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
