// `tx run`: the commands of a file, all of them or none.
#pragma once

#include "clients/cli/console.h"
#include "clients/lib/client.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_transaction(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
