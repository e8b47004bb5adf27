// `fastjournal work`: lease rows, run a command for each, report the result, until told to stop; with one or several
// workers.
#pragma once

#include "clients/programs/fastjournal/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode work(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
