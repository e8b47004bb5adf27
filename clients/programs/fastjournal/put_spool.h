// `fastjournal put --spool`: rows are appended to a spool folder (clients/spool/core) instead of being sent. Needs no daemon; what
// is known of the table is in the file that --declared names. Without it the forwarder learns what a daemon refuses.
#pragma once

#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode put_in_spool(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
