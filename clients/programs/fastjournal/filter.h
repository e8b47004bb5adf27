// A command between two files: it reads the content of a document from its standard input, and writes what becomes of it
// to its standard output.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/fastjournal/child.h"
#include "clients/programs/fastjournal/group_guard.h"
#include "clients/programs/fastjournal/spawn.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

struct Filtered {
  Child::End end{};
  std::string errors{};  // the end of what it said on standard error (failure_end)
  std::string trace{};   // more of it, if there was more (failure_trace)
};

// What goes on while a command runs.
struct Watch {
  GroupGuard& guard;           // ends it if we are killed
  std::function<bool()> tick;  // called every second at least; false ends the command, which has 2 s for that
  int wake{-1};                // what makes it readable is `tick`'s to take: it is called at once
};

// Runs `command` by a shell with `variables` ("NAME=value") added to our environment. `output` empty: what it writes
// goes where our own output goes. Not ok: it could not be run; `input` is no regular file, and nothing is followed
// there.
[[nodiscard]] Result<Filtered> run_filter(std::string const& command, std::vector<std::string> const& variables,
                                          std::string const& input, std::string const& output, Watch const& watch);
// Whether the shell would find the program that `command` begins with; ok also where only a shell can tell.
[[nodiscard]] Status find_filter(std::string const& command, Watch const& watch);

// Runs a program with a process group of its own, until it has ended: what it writes into these descriptors of its own
// goes to `said`.
[[nodiscard]] Result<Child::End> run_watched(Dependent program, std::initializer_list<int> said_by,
                                             std::function<void(std::string_view)> const& said, Watch const& watch);

}  // namespace fastjournal::cli
