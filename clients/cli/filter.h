// A command between two files: it reads the content of a document from its standard input, and writes what becomes of it
// to its standard output.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cli/child.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

struct Filtered {
  Child::End end{};
  std::string errors{};  // the end of what it said on standard error (failure_end)
  std::string trace{};   // more of it, if there was more (failure_trace)
};

// Runs `command` by a shell with `variables` ("NAME=value") added to our environment. `output` empty: what it writes
// goes where our own output goes. `tick` is called every second at least meanwhile; false ends the command. Not ok: it
// could not be run; `input` is no regular file, and nothing is followed there. What makes `wake` readable is `tick`'s to
// take: it is called at once.
[[nodiscard]] Result<Filtered> run_filter(std::string const& command, std::vector<std::string> const& variables,
                                          std::string const& input, std::string const& output,
                                          std::function<bool()> const& tick, int wake = -1);

// Until the program `pid`, with a process group of its own, has ended: what it writes into the pipe `fd` goes to `said`.
// `tick` and `wake` are as above; what `tick` ends has 2 s for that.
[[nodiscard]] Child::End follow(pid_t pid, int fd, std::function<void(std::string_view)> const& said,
                                std::function<bool()> const& tick, int wake = -1);

}  // namespace fastjournal::cli
