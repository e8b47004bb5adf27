// The command `kv lock`: runs a command while the value of a key is locked. Apart from the other commands of key/value
// tables because the lock belongs to the connection, which must be there as long as the command runs.
#pragma once

#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_locked(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
