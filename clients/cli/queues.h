// The commands `queue ...`: messages and queues of a queue table (doc/queue.md).
#pragma once

#include "clients/cli/console.h"
#include "clients/lib/client.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_queues(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
