// `fastjournal put --lines`: rows from standard input, one JSON object a line, each done once whatever happens to the
// connection, to the daemon, or (with --resume) to us.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode put_lines(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
