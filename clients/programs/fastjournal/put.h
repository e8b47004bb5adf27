// `fastjournal put`: one row from the command line. put_many.h is for the rows of a file.
#pragma once

#include "clients/programs/fastjournal/commands.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode put(Invocation const& invocation, Console& console, client::Connection& connection);

// Makes `insert` an INSERT with the values of the options. Columns follow.
void set_options(Invocation const& invocation, Message& insert);

}  // namespace fastjournal::cli
