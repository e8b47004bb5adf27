// `fastjournal feed`: follows a table by its change feed, and prints each record or compares the digest.
#pragma once

#include "clients/programs/fastjournal/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode feed(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
