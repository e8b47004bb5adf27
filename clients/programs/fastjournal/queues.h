// The commands `queue ...`: messages and queues of a queue table (doc/queue.md).
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_queues(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
