// A process that this one starts and ends: the daemon, the producer, the
// backends. Whatever happens to this program, none of them outlives it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::main_job {

class ChildProcess {
 public:
  // `words`: the program's path and its arguments. What it prints goes to `output`, both streams. It gets a process
  // group of its own (Ctrl-C reaches only us, and we end it in order), and the kernel kills it when we are gone.
  [[nodiscard]] static Result<ChildProcess> start(std::string name, std::vector<std::string> const& words,
                                                  std::filesystem::path const& output);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(ChildProcess const&) = delete;
  ChildProcess& operator=(ChildProcess const&) = delete;
  ~ChildProcess();  // kills it if it still runs

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] std::filesystem::path const& output() const { return output_; }
  [[nodiscard]] pid_t pid() const { return pid_; }

  // Nothing while it runs; then how it ended, for a person: "" for exit status 0, else "exit status 1", "killed by signal 9".
  [[nodiscard]] std::optional<std::string> ended();
  // Stops it where it stands and waits until it does; false: it has ended instead.
  [[nodiscard]] bool pause();
  void resume() const;
  // kill -9; returns when it is gone.
  void kill();
  // SIGTERM and up to ten seconds of patience, then kill -9.
  std::string stop();

 private:
  ChildProcess(std::string name, std::filesystem::path output, pid_t pid)
      : name_(std::move(name)), output_(std::move(output)), pid_(pid) {}
  void take_end(int status);

  std::string name_;
  std::filesystem::path output_;
  pid_t pid_{-1};
  std::optional<std::string> end_;
};

// The last lines of what it printed, for an error's text; empty if it printed nothing.
[[nodiscard]] std::string last_lines(std::filesystem::path const& output);

}  // namespace fastjournal::main_job
