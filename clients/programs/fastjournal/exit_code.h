// The exit status of `fastjournal`. Part of the interface: scripts depend on these numbers, so they never change; new
// ones may be added. `fastjournal --help` and clients/README.md list them.
#pragma once

#include "fastjournal/status.h"

namespace fastjournal::cli {

enum class ExitCode : int {
  ok = 0,
  refused = 1,      // by the daemon
  usage = 2,        // mistake in the command line, a file or the input
  unreachable = 3,  // no connection, or no answer in time; or the node of a table was not found
  nothing = 4,      // no work, or nothing to change
  failed = 5,       // work: the command failed for at least one row
  in_use = 6,       // log: a daemon or another tool uses the folder
  damaged = 7,      // log, blob: stored data is damaged
  alerts = 8,    // alerts: at least one is active; spool status: somebody must act; cluster status: a log has no owner
  warnings = 9,  // doctor: at least one
  errors = 10,   // doctor: at least one
};

// For a Status that is not ok.
[[nodiscard]] constexpr ExitCode exit_code_of(Code code) {
  switch (code) {
    case Code::ok: return ExitCode::ok;
    case Code::unavailable:
    case Code::timed_out:
    case Code::moved:
    case Code::closed: return ExitCode::unreachable;
    default: return ExitCode::refused;
  }
}

// For a Status of a tool for files.
[[nodiscard]] constexpr ExitCode exit_code_of_files(Code code) {
  switch (code) {
    case Code::ok: return ExitCode::ok;
    case Code::in_use: return ExitCode::in_use;
    case Code::damaged: return ExitCode::damaged;
    case Code::not_found:
    case Code::bad_parameter:
    case Code::bad_configuration: return ExitCode::usage;
    default: return ExitCode::refused;
  }
}

}  // namespace fastjournal::cli
