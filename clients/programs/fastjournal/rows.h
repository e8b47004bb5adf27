// Many rows at once: `ls`, and `kick` and `delete` by a filter. The daemon goes
// through its rows a page at a time; these go on until the end.
#pragma once

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/console.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode list_rows(Invocation const& invocation, Console& console, client::Connection& connection);

// Where the page behind this last message of one begins; empty: that was the last.
[[nodiscard]] std::string cursor_of(Message const& last, std::string const& before);

// KICK or DELETE of all rows that fit the filter; ends with how many were hit.
[[nodiscard]] ExitCode change_rows(Invocation const& invocation, Console& console, client::Connection& connection);

}  // namespace fastjournal::cli
