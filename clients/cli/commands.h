// What the command line does once it is understood: connect, ask, print.
#pragma once

#include "clients/cli/console.h"

namespace fastjournal::cli {

// Whether it needs a daemon at all.
[[nodiscard]] bool asks_daemon(Invocation const& invocation);
[[nodiscard]] ExitCode run(Invocation const& invocation, Console& console);

// As the global options say.
[[nodiscard]] client::Options connection_options(Invocation const& invocation);
// Connects so. `complain` is due if it is not ok.
[[nodiscard]] Result<std::unique_ptr<client::Connection>> connect(Invocation const& invocation);

}  // namespace fastjournal::cli
