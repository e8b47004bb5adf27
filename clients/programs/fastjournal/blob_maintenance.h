// `blob maintain`: begins, shows, awaits or ends the maintenance of a blob table.
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode maintain_blobs(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
