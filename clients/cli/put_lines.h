// `fastjournal put --lines`: rows from standard input, one JSON object per line. Each is inserted once, even if the
// connection, the daemon, or (with --resume) this process fails.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode put_lines(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
