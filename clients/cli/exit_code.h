// What the shell learns from `fastjournal`. Part of the interface: scripts
// depend on these numbers, so they are only added to. `fastjournal --help` and
// clients/README.md list them.
#pragma once

#include "fastjournal/status.h"

namespace fastjournal::cli {

enum class ExitCode : int {
  ok = 0,
  refused = 1,      // the daemon said no
  usage = 2,        // the command line, a file or the input is wrong
  unreachable = 3,  // no connection, or no answer in time
  nothing = 4,      // there was nothing to do
  failed = 5,       // work: the command failed for at least one row
};

// For a Status that is not ok.
[[nodiscard]] constexpr ExitCode exit_code_of(Code code) {
  switch (code) {
    case Code::ok: return ExitCode::ok;
    case Code::unavailable:
    case Code::timed_out:
    case Code::closed: return ExitCode::unreachable;
    default: return ExitCode::refused;
  }
}

}  // namespace fastjournal::cli
