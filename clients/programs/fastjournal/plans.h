// `plan check`, `plan explain` and `plan compare`: the plans of pipelines, read from their files. No daemon is asked.
#pragma once

#include "clients/programs/fastjournal/console.h"
#include "clients/programs/fastjournal/options.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_plan(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
