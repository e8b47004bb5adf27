// The command run by `work` for a row: its process group, its standard input, its end. The destructor leaves neither a
// process nor a zombie behind, whatever the worker's code does. `kv lock` runs its command in the foreground.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::cli {

class GroupGuard;

class Child {
 public:
  // Whether start() would find the program of `command`: ok, or io_error with the reason.
  [[nodiscard]] static Status find(std::vector<std::string> const& command);
  // Starts `command` (searched in PATH) in a new process group, with `variables` ("NAME=value") added to our
  // environment and `input` on its standard input; we read its standard error. Signals blocked here are not blocked
  // there. It and what it starts end with us, whatever ends us (`guard`). too_large: more than the system takes.
  [[nodiscard]] static Result<Child> start(std::vector<std::string> const& command,
                                           std::vector<std::string> const& variables, std::string input,
                                           GroupGuard& guard);
  // Starts it with our input, output, terminal and process group. Without talk() and errors().
  [[nodiscard]] static Result<Child> start_in_foreground(std::vector<std::string> const& command);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;
  ~Child();

  // Writes its input and reads its standard error until `wake_fd` is readable, `until` has come, or something was read,
  // which is returned. SIGPIPE must be blocked or ignored: the command may not read all of its input.
  [[nodiscard]] std::string talk(int wake_fd, std::chrono::steady_clock::time_point until);
  // The standard error available now. After its end that is all of it: later output of children that it left behind is
  // ignored.
  [[nodiscard]] std::string errors();
  // Signals the whole process group; in the foreground the command alone.
  void signal(int number) const;
  // True once it has ended; how() is valid from then on.
  [[nodiscard]] bool reap();

  struct End {
    int status{0};  // exit status, if not killed by a signal
    int signal{0};  // the signal that killed it, or 0
    [[nodiscard]] bool ok() const { return status == 0 && signal == 0; }
    [[nodiscard]] std::string text() const;  // "exit status 3", "killed by signal 9 (Killed)"
  };
  [[nodiscard]] End how() const { return end_; }
  // -1 after reap().
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Child(pid_t pid, int input_fd, int error_fd, std::string input)
      : pid_(pid), input_fd_(input_fd), error_fd_(error_fd), input_(std::move(input)) {}
  void feed();

  pid_t pid_{-1};  // -1: reaped
  bool has_group_{true};
  int input_fd_{-1};  // -1: all input is written, or it does not want it
  int error_fd_{-1};  // -1: the other end is closed
  std::string input_;
  std::size_t fed_{0};
  End end_;
};

}  // namespace fastjournal::cli
