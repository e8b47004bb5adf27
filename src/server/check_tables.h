// What is wrong with tables that are each well declared, and that no file tells alone: a log that nobody declared, what
// the type's own code refuses, two tables that want one command. For the daemon before it takes them, and for whoever
// checks files without it. Each declaration is also given to its type's code once, so that a reload refuses what the
// code of a new table refuses before anything is logged.
#pragma once

#include <span>
#include <string>

#include "core/engine.h"
#include "core/types.h"
#include "fastjournal/status.h"

namespace fastjournal::server {

// The logs that a daemon's file declares.
struct DeclaredLogs {
  std::string file;
  std::span<std::string const> names;
};

// bad_configuration: every problem, one "FILE:LINE: what" a line. `logs` null: they are not known, and not looked at.
[[nodiscard]] Status check_tables(core::TableTypes const& types, core::Declarations const& tables,
                                  DeclaredLogs const* logs);

// bad_configuration: `forget` names a table that is declared. Left in a unit file, --forget would empty it at every
// start. One that is declared persistent="no" now may be: what a log still holds of it goes once, and for good.
[[nodiscard]] Status check_forget(core::Declarations const& tables, std::span<std::string const> forget);

}  // namespace fastjournal::server
