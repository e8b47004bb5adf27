// `fastjournal put --spool`: rows are appended to a spool folder (src/spool) instead of being sent. Needs no daemon; what
// is known of the table is in the file that --declared names. Without it the forwarder learns what a daemon refuses.
#pragma once

#include "clients/cli/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode put_in_spool(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
