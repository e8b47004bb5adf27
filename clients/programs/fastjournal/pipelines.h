// `pipeline run`: folders as sources of a pipeline table, commands as its steps. Nobody has to write
// a program to index a folder so that a crash loses nothing and sends nothing twice.
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"
#include "clients/programs/fastjournal/options.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_pipeline(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
