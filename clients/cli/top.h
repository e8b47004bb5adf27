// `fastjournal top`: the daemon's figures, live. In a terminal a screen that
// is drawn again and again until q is pressed; otherwise one JSON object a line.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode top(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
