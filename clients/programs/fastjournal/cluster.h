// `cluster status`: the logs that the daemon shares with other nodes. `cluster step-down`: it gives one to another node.
// `cluster move`: a table goes from one log to another.
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_cluster(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
