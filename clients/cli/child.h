// The command that `work` runs for a row: its process group, its standard
// input, its end. Whatever happens to the worker's code, the destructor leaves
// neither a process nor a zombie behind.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::cli {

class Child {
 public:
  // Starts `command` (searched in PATH) in a process group of its own with `variables` ("NAME=value") added to
  // our environment and with `input` on its standard input. Signals that we block are open to it.
  [[nodiscard]] static Result<Child> start(std::vector<std::string> const& command,
                                           std::vector<std::string> const& variables, std::string input);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;
  ~Child();

  // -1: it has all of its input, or does not want it.
  [[nodiscard]] int input_fd() const { return input_fd_; }
  // Gives it what its pipe takes now. SIGPIPE must be blocked or ignored: it may not read to the end.
  void feed();
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
  Child(pid_t pid, int input_fd, std::string input) : pid_(pid), input_fd_(input_fd), input_(std::move(input)) {}
  void close_input();

  pid_t pid_{-1};  // -1: reaped
  int input_fd_{-1};
  std::string input_;
  std::size_t fed_{0};
  End end_;
};

}  // namespace fastjournal::cli
