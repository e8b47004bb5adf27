// The command that `work` runs for a row: its process group, its standard
// input, its end. Whatever happens to the worker's code, the destructor leaves
// neither a process nor a zombie behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::cli {

class Child {
 public:
  // Starts `command` (searched in PATH) in a process group of its own with `variables` ("NAME=value") added to
  // our environment, with `input` on its standard input and its standard error read by us. Signals that we block are
  // open to it.
  [[nodiscard]] static Result<Child> start(std::vector<std::string> const& command,
                                           std::vector<std::string> const& variables, std::string input);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;
  ~Child();

  // Gives it its input and reads its standard error until `wake_fd` is readable, `until` has come, or something was
  // read, which is returned. SIGPIPE must be blocked or ignored: it may not read its input to the end.
  [[nodiscard]] std::string talk(int wake_fd, std::chrono::steady_clock::time_point until);
  // What there is of its standard error now. Once it has ended that is all of it: what its own children, left behind,
  // may write later has no reader.
  [[nodiscard]] std::string errors();
  // To it and what it started.
  void signal(int number) const;
  // True once it has ended; how() is known from then on.
  [[nodiscard]] bool reap();

  struct End {
    int status{0};  // exit status, if it was no signal
    int signal{0};  // what killed it, or 0
    [[nodiscard]] bool ok() const { return status == 0 && signal == 0; }
    [[nodiscard]] std::string text() const;  // "exit status 3", "killed by signal 9 (Killed)"
  };
  [[nodiscard]] End how() const { return end_; }

 private:
  Child(pid_t pid, int input_fd, int error_fd, std::string input)
      : pid_(pid), input_fd_(input_fd), error_fd_(error_fd), input_(std::move(input)) {}
  void feed();

  pid_t pid_{-1};     // -1: reaped
  int input_fd_{-1};  // -1: it has all of its input, or does not want it
  int error_fd_{-1};  // -1: nobody holds the other end any more
  std::string input_;
  std::size_t fed_{0};
  End end_;
};

}  // namespace fastjournal::cli
