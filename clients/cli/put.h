// `fastjournal put`: one row from the command line. put_lines.h is for many rows from standard input.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode put(Invocation const& invocation, Console& console, client::Connection& connection);

// An INSERT with the values of the options, without columns.
[[nodiscard]] Message insert_of_options(Invocation const& invocation);

}  // namespace fastjournal::cli
