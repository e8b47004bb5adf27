// `fastjournal top`: the daemon's figures, live. A terminal shows a screen, updated until q is pressed; otherwise one
// JSON object per line.
#pragma once

#include "clients/programs/fastjournal/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode top(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
