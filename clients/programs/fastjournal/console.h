// Input and output of the command line, and the form of its errors: one line for a person; with --json one object per
// line, also on standard error, so that standard output contains only results.
#pragma once

#include <iosfwd>
#include <string_view>

#include "clients/programs/fastjournal/exit_code.h"
#include "clients/programs/fastjournal/options.h"
#include "clients/programs/fastjournal/render.h"

namespace fastjournal::cli {

// The streams of the command line.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Look look;
  bool progress{false};  // a person watches `err`: the progress of a long command may be shown there
};

// "fastjournal VERB TABLE: place: code: sentence (facts)" and the advice. As JSON: error (the code), message, command
// (the verb), table, place, facts (an object), advice. `place`: the source of the error, if it is not clear ("line 5",
// a folder).
void tell(Invocation const& invocation, Console& console, Status const& status, std::string_view place,
          std::string_view advice);
// With the standard advice for the code; returns its exit code.
[[nodiscard]] ExitCode complain(Invocation const& invocation, Console& console, Status const& status,
                                std::string_view place = {});
// The same for a mistake in the command line or the input: the code is "usage".
[[nodiscard]] ExitCode misuse(Invocation const& invocation, Console& console, std::string_view sentence,
                              std::string_view place = {});
// Information for people that programs need not act on; as JSON: note, command, table.
void note(Invocation const& invocation, Console& console, std::string_view sentence);

// For a command line that cannot be parsed.
[[nodiscard]] std::string usage_error_json(std::string_view sentence);

}  // namespace fastjournal::cli
