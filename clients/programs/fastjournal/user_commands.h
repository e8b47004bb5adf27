// `user add`, `user list` and `user remove`: the file of users, which the daemon reads at a start and by RELOAD. No daemon
// is asked.
#pragma once

#include "clients/programs/fastjournal/console.h"
#include "clients/programs/fastjournal/options.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_user(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
