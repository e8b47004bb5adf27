// The commands `blob ...`: blobs of a blob table from a shell.
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_blobs(Invocation const& invocation, Console& console, client::Connection& connection);
// `blob put` to a listener of the protocol blobwrite: no other connection is needed.
[[nodiscard]] ExitCode put_blob_by_port(Invocation const& invocation, Console& console);

}  // namespace fastjournal::cli
