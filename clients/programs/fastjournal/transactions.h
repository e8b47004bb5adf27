// `tx run`: the commands of a file, all of them or none. `tx ls`, `commit`, `rollback` and `forget`: what an administrator
// sees and decides of prepared transactions.
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode run_transaction(Invocation const& invocation, Console& console, client::Connection& connection);

[[nodiscard]] ExitCode list_branches(Invocation const& invocation, Console& console, client::Connection& connection);
[[nodiscard]] ExitCode end_branch(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
