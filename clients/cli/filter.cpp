#include "clients/cli/filter.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "clients/cli/spawn.h"
#include "fastjournal/limits.h"

namespace fastjournal::cli {
namespace {

constexpr int kTickMs = 1'000;

Status filter_failed(std::string const& what, int error) {
  return {Code::io_error, what + ": " + std::strerror(error)};
}

// What was said last.
void keep_end(std::string& text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.size() > kErrorBytesMax) text.erase(0, text.size() - kErrorBytesMax);
}

}  // namespace

Result<Filtered> run_filter(std::string const& command, std::vector<std::string> const& variables,
                            std::string const& input, std::string const& output, std::function<bool()> const& tick) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return filter_failed("make a pipe for " + command, errno);
  SpawnActions actions;
  posix_spawn_file_actions_addopen(&actions.list, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  if (!output.empty())
    posix_spawn_file_actions_addopen(&actions.list, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions.list, ends[1], STDERR_FILENO);
  std::vector<std::string> arguments{"sh", "-c", command};
  std::vector<std::string> environment = environment_with(variables);
  pid_t pid = -1;
  int const error = ::posix_spawn(&pid, "/bin/sh", &actions.list, nullptr, pointers_to(arguments).data(),
                                  pointers_to(environment).data());
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return filter_failed("run " + command, error);
  }
  Filtered out;
  out.end = follow(
      pid, ends[0],
      [&](std::string_view bytes) {
        out.errors += bytes;
        if (out.errors.size() > 16 * kErrorBytesMax) out.errors.erase(0, out.errors.size() - kErrorBytesMax);
      },
      tick);
  ::close(ends[0]);
  keep_end(out.errors);
  return out;
}

Child::End follow(pid_t pid, int fd, std::function<void(std::string_view)> const& said,
                  std::function<bool()> const& tick) {
  bool is_told = false;
  // Until it has closed the pipe; that of what it left behind is not waited for.
  for (int status = 0;;) {
    pollfd one{fd, POLLIN, 0};
    int const ready = ::poll(&one, 1, kTickMs);
    std::array<char, 4096> buffer{};
    ssize_t const got = ready > 0 ? ::read(fd, buffer.data(), buffer.size()) : -1;
    if (got > 0) said({buffer.data(), static_cast<std::size_t>(got)});
    if (got <= 0 && ::waitpid(pid, &status, got == 0 ? 0 : WNOHANG) == pid)
      return WIFSIGNALED(status) ? Child::End{0, WTERMSIG(status)} : Child::End{WEXITSTATUS(status), 0};
    // Also of one that says something all the time.
    if (!is_told && !tick()) {
      ::kill(pid, SIGTERM);
      is_told = true;
    }
  }
}

}  // namespace fastjournal::cli
