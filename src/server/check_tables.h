// Problems of tables that no file shows alone: a log that is not declared, options that the type's own code refuses,
// two tables with an alias of one command. For the daemon before it loads tables, and for checks of files without a
// daemon. Each declaration is also given to its type's code once, so that a reload refuses what the code of a new table
// refuses before anything is logged.
#pragma once

#include <set>
#include <span>
#include <string>

#include "engine/engine.h"
#include "engine/types.h"
#include "fastjournal/status.h"

namespace fastjournal::server {

// The logs that a daemon's file declares.
struct DeclaredLogs {
  std::string file;
  std::span<std::string const> names;
  std::span<std::string const> shared{};  // of these: without files beside them
};

// Declarations that were accepted before, with the same logs.
using SoundTables = std::set<engine::Declaration>;

// bad_configuration: every problem, one "FILE:LINE: what" a line. `logs` null: not known, and not checked. Those that are
// `sound` are not given to their type's code again.
[[nodiscard]] Status check_tables(engine::TableTypes const& types, engine::Declarations const& tables,
                                  DeclaredLogs const* logs, SoundTables const& sound = {});

// bad_configuration: `forget` names a table that is declared. Left in a unit file, --forget would empty it at every
// start. A table that is now declared persistent="no" is allowed: then only its old records in a log are dropped.
[[nodiscard]] Status check_forget(engine::Declarations const& tables, std::span<std::string const> forget);

}  // namespace fastjournal::server
