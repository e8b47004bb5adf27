// The commands `spool status`, `list`, `resend` and `purge`: for a person who has a spool folder, and perhaps no running
// forwarder or daemon. What they read and change is in clients/spool/core/folder_tools.h, what a forwarder says in spool_status.h.
#pragma once

#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_spool(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
