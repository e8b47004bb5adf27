// The commands `kv ...` but `kv lock`: values of key/value tables, read, changed and watched.
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_pairs(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
