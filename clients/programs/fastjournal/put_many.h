// `fastjournal put --from`: rows of a file or of standard input. Each is inserted once, even if the connection, the
// daemon, or (with --resume) this process fails.
#pragma once

#include "clients/programs/fastjournal/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode put_many(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
