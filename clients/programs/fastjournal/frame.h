// `kv frame`: one frame of the FJ protocol, and its reply, shown field by field.
#pragma once

#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_frame(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
