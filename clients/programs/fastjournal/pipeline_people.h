// What people do with a pipeline table: `pipeline status`, `ls`, `why`, `history`, and the commands that concern many documents, page
// by page: `retry`, `force`, `drop`, `resolve`, `migrate`, `forget`; and `pause` and `resume`.
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"
#include "clients/programs/fastjournal/options.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_pipeline_command(Invocation const& invocation, Console& console,
                                            client::Connection& connection);

}  // namespace fastjournal::cli
