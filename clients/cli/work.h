// `fastjournal work`: lease rows, run a command for each, say how it went, until told to stop; by one worker, or by
// several side by side.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode work(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
