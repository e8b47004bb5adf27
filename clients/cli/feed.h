// `fastjournal feed`: a table followed by its change feed, printed record by
// record, or compared by its digest.
#pragma once

#include "clients/cli/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode feed(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
