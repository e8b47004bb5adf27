// `fastjournal put`: a row from the command line. Many from standard input: put_lines.h.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode put(Invocation const& invocation, Console& console, client::Connection& connection);

// An INSERT with what the options say; the columns are to come.
[[nodiscard]] Message insert_of_options(Invocation const& invocation);

}  // namespace fastjournal::cli
