// Where the command line reads and writes, and how it tells what went wrong: a
// line for a person; with --json one object a line, also on standard error, so
// that standard output has results alone.
#pragma once

#include <iosfwd>
#include <string_view>

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
  bool progress{false};  // a person looks at `err`: how far a long command is may be drawn there
};

// "fastjournal VERB TABLE: place: code: sentence (facts)" and what to do about it. As JSON: error (the code), message,
// command (the verb), table, place, facts (an object), advice. `place`: where, if that is not clear ("line 5", a folder).
void tell(Invocation const& invocation, Console& console, Status const& status, std::string_view place,
          std::string_view advice);
// With the advice for the code; its exit code.
[[nodiscard]] ExitCode complain(Invocation const& invocation, Console& console, Status const& status,
                                std::string_view place = {});
// The same for what is wrong with the command line or the input: the code is "usage".
[[nodiscard]] ExitCode misuse(Invocation const& invocation, Console& console, std::string_view sentence,
                              std::string_view place = {});
// What a person should know and no program need act on; as JSON: note, command, table.
void note(Invocation const& invocation, Console& console, std::string_view sentence);

// For a line that cannot be made an Invocation.
[[nodiscard]] std::string usage_error_json(std::string_view sentence);

}  // namespace fastjournal::cli
