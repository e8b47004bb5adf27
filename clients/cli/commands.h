// What the command line does once it is understood: connect, ask, print.
#pragma once

#include <iosfwd>

#include "clients/cli/exit_code.h"
#include "clients/cli/options.h"
#include "clients/cli/render.h"

namespace fastjournal::cli {

// Where input comes from and output goes.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Look look;
};

[[nodiscard]] ExitCode run(Invocation const& invocation, Console& console);

// "fastjournal VERB: code: sentence (facts)" and what to do about it, to console.err.
[[nodiscard]] ExitCode complain(Invocation const& invocation, Console& console, Status const& status);

// As the global options say.
[[nodiscard]] client::Options connection_options(Invocation const& invocation);
// Connects so. `complain` is due if it is not ok.
[[nodiscard]] Result<std::unique_ptr<client::Connection>> connect(Invocation const& invocation);

}  // namespace fastjournal::cli
