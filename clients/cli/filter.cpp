#include "clients/cli/filter.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "clients/cli/failure_text.h"
#include "clients/cli/spawn.h"
#include "files/folder.h"

namespace fastjournal::cli {
namespace {

constexpr int kTickMs = 1'000;
constexpr int kTickWithoutTellerMs = 20;  // where the kernel does not tell of the end of a process
constexpr int kLastPiecesMax = 64;
constexpr std::chrono::seconds kEndMax{2};

Status filter_failed(std::string const& what, int error) {
  return {Code::io_error, what + ": " + std::strerror(error)};
}

}  // namespace

Result<Filtered> run_filter(std::string const& command, std::vector<std::string> const& variables,
                            std::string const& input, std::string const& output, std::function<bool()> const& tick,
                            int wake) {
  files::Descriptor const from{files::open_regular(input, O_RDONLY)};
  if (!from.is_open()) return files::failure("open of", input, errno);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return filter_failed("make a pipe for " + command, errno);
  SpawnActions actions;
  SpawnAttributes const attributes;
  posix_spawn_file_actions_adddup2(&actions.list, from.fd, STDIN_FILENO);
  if (!output.empty())
    posix_spawn_file_actions_addopen(&actions.list, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions.list, ends[1], STDERR_FILENO);
  std::vector<std::string> arguments{"sh", "-c", command};
  std::vector<std::string> environment = environment_with(variables);
  pid_t pid = -1;
  int const error = ::posix_spawn(&pid, "/bin/sh", &actions.list, &attributes.list, pointers_to(arguments).data(),
                                  pointers_to(environment).data());
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return filter_failed("run " + command, error);
  }
  Filtered out;
  Tail tail;
  out.end = follow(
      pid, ends[0], [&](std::string_view bytes) { tail.add(bytes); }, tick, wake);
  ::close(ends[0]);
  out.errors = failure_end(tail.bytes());
  out.trace = failure_trace(tail.bytes(), out.errors);
  return out;
}

Child::End follow(pid_t pid, int fd, std::function<void(std::string_view)> const& said,
                  std::function<bool()> const& tick, int wake) {
  using FollowClock = std::chrono::steady_clock;
  files::Descriptor const ended{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  FollowClock::time_point told{};
  bool is_told = false;
  bool is_pipe_open = true;
  auto const read_some = [&] {
    std::array<char, 4096> buffer{};
    ssize_t const got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) said({buffer.data(), static_cast<std::size_t>(got)});
    is_pipe_open = got > 0 || (got < 0 && errno == EINTR);
  };
  for (int status = 0;;) {
    std::array polled{pollfd{is_pipe_open ? fd : -1, POLLIN, 0}, pollfd{ended.fd, POLLIN, 0},
                      pollfd{is_told ? -1 : wake, POLLIN, 0}};
    ::poll(polled.data(), polled.size(), ended.is_open() ? kTickMs : kTickWithoutTellerMs);
    if (polled[0].revents != 0) read_some();
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      // What it said last. That of what it left behind is not waited for.
      pollfd last{fd, POLLIN, 0};
      for (int pieces = 0; pieces < kLastPiecesMax && is_pipe_open && ::poll(&last, 1, 0) > 0; ++pieces) read_some();
      return WIFSIGNALED(status) ? Child::End{0, WTERMSIG(status)} : Child::End{WEXITSTATUS(status), 0};
    }
    // Also of one that says something all the time.
    if (!is_told && !tick()) {
      ::kill(-pid, SIGTERM);
      is_told = true;
      told = FollowClock::now();
    }
    if (is_told && FollowClock::now() > told + kEndMax) ::kill(-pid, SIGKILL);
  }
}

}  // namespace fastjournal::cli
