// `fastjournal put`: a row from the command line, or many from standard input.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode put(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
