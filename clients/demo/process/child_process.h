// A process started and ended by this program: the daemon, the producer, the backends. None of them outlives this
// program, however it ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::process {

class ChildProcess {
 public:
  // `words`: the path of the program and its arguments. Both output streams go to `output`. The process has its own
  // process group (Ctrl-C reaches only us, and we end the processes in order), and the kernel kills it when we end.
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

  // Empty while it runs; then its end in words: "" for exit status 0, else "exit status 1", "killed by signal 9".
  [[nodiscard]] std::optional<std::string> ended();
  // Stops it and waits until it is stopped; false: it has ended instead.
  [[nodiscard]] bool pause();
  void resume() const;
  // kill -9; returns after its end.
  void kill();
  // SIGTERM, then kill -9 after ten seconds.
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

// The last lines of its output, for an error's text; empty if there are none.
[[nodiscard]] std::string last_lines(std::filesystem::path const& output);

}  // namespace fastjournal::process
