// A program started by a test: its output is read line by line with a time limit, and it is killed at the end of the
// test at the latest, also if the test fails.
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
  std::vector<std::string> environment{};  // NAME=value, added to the test's own
  std::vector<int> descriptors{};          // of the test: in the program they are 3 and up
  bool merge_errors{true};                 // standard error is part of the output; else it is the test's own
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

  // The next line of its output, without LF; the last one need not have one. Nothing at the end of output or after the
  // limit.
  std::optional<std::string> read_line(std::chrono::milliseconds limit = kPatience);
  // Skips lines up to one that contains `text`, and returns that. The skipped lines are in output().
  std::optional<std::string> wait_for_line(std::string_view text, std::chrono::milliseconds limit = kPatience);
  // All output that was read so far.
  [[nodiscard]] std::string const& output() const { return output_; }

  // Does nothing once its end was noticed, as the process id may be another's by then. After SIGSTOP it stands still, with
  // all of its threads.
  void kill(int signal);
  // Its exit code, or 128 + the signal that ended it. Keeps reading output, so that the program cannot hang on a full
  // pipe. Nothing if it still runs after the limit.
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

// Runs a program to its end. Throws std::runtime_error, with its output, if it fails.
void run_program(std::vector<std::string> const& arguments);

}  // namespace fastjournal::test
