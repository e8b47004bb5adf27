// A program started by a test: its output is read line by line within a time
// limit, and it never outlives the test, whatever happens to the test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/line_client.h"

namespace fastjournal::test {

struct ChildOptions {
  std::vector<std::string> environment{};  // NAME=value, beside the test's own
  bool merge_errors{true};                 // standard error comes with the output; else it is the test's own
};

class ChildProcess {
 public:
  // arguments[0] is the program: a path, or a name looked up in PATH. Throws
  // std::system_error if it cannot be started. Standard input is empty.
  explicit ChildProcess(std::vector<std::string> const& arguments, ChildOptions const& options = {});
  // Kills it and waits for it if it still runs.
  ~ChildProcess();
  ChildProcess(ChildProcess const&) = delete;
  ChildProcess& operator=(ChildProcess const&) = delete;

  // The next line of its output, without LF; a last one without LF counts.
  // Nothing at the end of output or after the limit.
  std::optional<std::string> read_line(std::chrono::milliseconds limit = kPatience);
  // Skips lines up to one that contains `text`. What was skipped is in output().
  std::optional<std::string> wait_for_line(std::string_view text, std::chrono::milliseconds limit = kPatience);
  // Everything that it wrote and that was read so far.
  [[nodiscard]] std::string const& output() const { return output_; }

  // Does nothing once its end was seen: the number may be another's by then.
  void kill(int signal);
  // Its exit code, or 128 + the signal that ended it. Reads on, so that it cannot
  // hang on a full pipe. Nothing if it still runs after the limit.
  std::optional<int> wait(std::chrono::milliseconds limit = kPatience);
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  bool fill(Deadline deadline);
  std::optional<int> collect(bool block);

  pid_t pid_{-1};
  int pid_fd_{-1};  // readable when it has ended
  int out_{-1};
  bool out_ended_{false};
  std::optional<int> code_;
  std::string output_;
  std::size_t line_at_{0};
};

}  // namespace fastjournal::test
