#include "clients/programs/fastjournal/filter.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "clients/programs/fastjournal/failure_text.h"
#include "platform/files/folder.h"

namespace fastjournal::cli {
namespace {

constexpr int kTickMs = 1'000;
constexpr int kTickWithoutTellerMs = 20;  // where the kernel does not tell of the end of a process
constexpr int kLastPiecesMax = 64;
constexpr std::chrono::seconds kEndMax{2};

// `words`: the command, and what it finds as $0, $1, ...
Dependent shell_for(std::vector<std::string> words, std::vector<std::string> environment) {
  words.insert(words.begin(), {"sh", "-c"});
  return {.words = std::move(words), .program = "/bin/sh", .environment = std::move(environment)};
}

// Empty if something becomes of it before the shell looks for it, or if it is no command.
std::string_view first_word(std::string_view command) {
  constexpr std::string_view kBlanks = " \t\n";
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./";
  command.remove_prefix(std::min(command.find_first_not_of(kBlanks), command.size()));
  std::string_view const word = command.substr(0, command.find_first_not_of(kPlain));
  command.remove_prefix(word.size());
  bool const is_end = command.empty() || kBlanks.find(command.front()) != std::string_view::npos ||
                      std::string_view{";&|"}.find(command.front()) != std::string_view::npos;
  return is_end ? word : std::string_view{};
}

// Until the program has ended: what it writes into the pipe `fd` goes to `said`.
Child::End follow(pid_t pid, int fd, std::function<void(std::string_view)> const& said, Watch const& watch) {
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
                      pollfd{is_told ? -1 : watch.wake, POLLIN, 0}};
    ::poll(polled.data(), polled.size(), ended.is_open() ? kTickMs : kTickWithoutTellerMs);
    if (polled[0].revents != 0) read_some();
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      // What it said last. That of what it left behind is not waited for.
      pollfd last{fd, POLLIN, 0};
      for (int pieces = 0; pieces < kLastPiecesMax && is_pipe_open && ::poll(&last, 1, 0) > 0; ++pieces) read_some();
      return WIFSIGNALED(status) ? Child::End{0, WTERMSIG(status)} : Child::End{WEXITSTATUS(status), 0};
    }
    // Also of one that says something all the time.
    if (!is_told && !watch.tick()) {
      ::kill(-pid, SIGTERM);
      is_told = true;
      told = FollowClock::now();
    }
    if (is_told && FollowClock::now() > told + kEndMax) ::kill(-pid, SIGKILL);
  }
}

}  // namespace

Result<Filtered> run_filter(std::string const& command, std::vector<std::string> const& variables,
                            std::string const& input, std::string const& output, Watch const& watch) {
  files::Descriptor const from{files::open_regular(input, O_RDONLY)};
  if (!from.is_open()) return files::failure("open of", input, errno);
  Dependent shell = shell_for({command}, environment_with(variables));
  shell.descriptors.emplace_back(from.fd, STDIN_FILENO);
  files::Descriptor to;
  if (!output.empty()) {
    to = files::Descriptor{::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    if (!to.is_open()) return files::failure("open of", output, errno);
    shell.descriptors.emplace_back(to.fd, STDOUT_FILENO);
  }
  Tail tail;
  Result<Child::End> const end = run_watched(
      std::move(shell), {STDERR_FILENO}, [&](std::string_view bytes) { tail.add(bytes); }, watch);
  if (!end.ok()) return end.status();
  Filtered out;
  out.end = end.value();
  out.errors = failure_end(tail.bytes());
  out.trace = failure_trace(tail.bytes(), out.errors);
  return out;
}

Status find_filter(std::string const& command, Watch const& watch) {
  std::string const word{first_word(command)};
  if (word.empty()) return {};
  Status found = find_program(word);
  if (found.ok() || word.find('/') != std::string::npos) return found;
  // A word of the shell's own?
  Result<Child::End> const asked = run_watched(
      shell_for({"command -v -- \"$1\" > /dev/null", "sh", word}, environment_with({})), {STDERR_FILENO},
      [](std::string_view) {}, watch);
  return asked.ok() && asked->ok() ? Status{} : found;
}

Result<Child::End> run_watched(Dependent program, std::initializer_list<int> said_by,
                               std::function<void(std::string_view)> const& said, Watch const& watch) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Status{Code::io_error, "make a pipe for " + program.words.front() + ": " + std::strerror(errno)};
  files::Descriptor const reads{ends[0]};
  files::Descriptor writes{ends[1]};
  for (int const theirs : said_by) program.descriptors.emplace_back(writes.fd, theirs);
  program.guard = &watch.guard;
  Result<pid_t> const pid = start_dependent(std::move(program));
  if (!pid.ok()) return pid.status();
  writes.close();
  Child::End const end = follow(pid.value(), reads.fd, said, watch);
  watch.guard.release();
  return end;
}

}  // namespace fastjournal::cli
