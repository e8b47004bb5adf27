// `fastjournal backup DIR`: a copy of all logs of a running daemon and of the bytes outside of them, at one moment. The
// daemon only names the files and keeps them; this client copies them, within its speed limit.
#pragma once

#include "clients/programs/fastjournal/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode backup(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
