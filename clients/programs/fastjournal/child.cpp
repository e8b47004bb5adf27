#include "clients/programs/fastjournal/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <iterator>
#include <utility>

#include "clients/programs/fastjournal/spawn.h"

extern char** environ;

namespace fastjournal::cli {

namespace {

Status child_failed(std::string const& what, int error) { return {Code::io_error, what + ": " + std::strerror(error)}; }

void close_if_open(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// A command with its arguments in one word is a common mistake, and the system reports only a missing file.
Status with_hint(std::vector<std::string> const& command, Status const& status) {
  bool const is_missing = status.message().ends_with(std::strerror(ENOENT));
  if (!is_missing || command.size() != 1 || command.front().find(' ') == std::string::npos) return status;
  return {status.code(), status.message() +
                             " (it is one word: leave out the quotes, or have a shell read it: -- sh -c '" +
                             command.front() + "')"};
}

}  // namespace

std::string Child::End::text() const {
  if (signal == 0) return "exit status " + std::to_string(status);
  return "killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

Result<Child> Child::start(std::vector<std::string> const& command, std::vector<std::string> const& variables,
                           std::string input, GroupGuard& guard) {
  int input_ends[2];
  if (::pipe2(input_ends, O_CLOEXEC) != 0) return child_failed("make a pipe for " + command.front(), errno);
  int error_ends[2];
  if (::pipe2(error_ends, O_CLOEXEC) != 0) {
    int const error = errno;
    for (int const end : input_ends) ::close(end);
    return child_failed("make a pipe for " + command.front(), error);
  }
  ::fcntl(input_ends[1], F_SETFL, O_NONBLOCK);
  ::fcntl(error_ends[0], F_SETFL, O_NONBLOCK);
  Result<pid_t> const pid =
      start_dependent({.words = command,
                       .environment = environment_with(variables),
                       .descriptors = {{input_ends[0], STDIN_FILENO}, {error_ends[1], STDERR_FILENO}},
                       .guard = &guard});
  ::close(input_ends[0]);
  ::close(error_ends[1]);
  if (!pid.ok()) {
    ::close(input_ends[1]);
    ::close(error_ends[0]);
    return with_hint(command, pid.status());
  }
  return Child(pid.value(), input_ends[1], error_ends[0], std::move(input));
}

Result<Child> Child::start_in_foreground(std::vector<std::string> const& command) {
  std::vector<std::string> environment;
  for (char** one = environ; *one != nullptr; ++one) environment.emplace_back(*one);
  Result<pid_t> const pid = start_dependent({.words = command, .environment = std::move(environment)});
  if (!pid.ok()) return with_hint(command, pid.status());
  Child out(pid.value(), -1, -1, {});
  out.has_group_ = false;
  return out;
}

Status Child::find(std::vector<std::string> const& command) {
  return with_hint(command, find_program(command.front()));
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      has_group_(other.has_group_),
      input_fd_(std::exchange(other.input_fd_, -1)),
      error_fd_(std::exchange(other.error_fd_, -1)),
      input_(std::move(other.input_)),
      fed_(other.fed_),
      end_(other.end_) {}

Child::~Child() {
  close_if_open(input_fd_);
  close_if_open(error_fd_);
  if (pid_ < 0) return;
  signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void Child::feed() {
  ssize_t const took = ::write(input_fd_, input_.data() + fed_, input_.size() - fed_);
  if (took < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (took > 0) fed_ += static_cast<std::size_t>(took);
  // The command may end without reading all of it, which is not an error.
  if (took < 0 || fed_ == input_.size()) close_if_open(input_fd_);
}

std::string Child::talk(int wake_fd, std::chrono::steady_clock::time_point until) {
  using namespace std::chrono;
  auto const left = ceil<milliseconds>(until - steady_clock::now());
  bool const forever = until == steady_clock::time_point::max();
  int const limit_ms = forever ? -1 : static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, INT_MAX));
  pollfd polled[] = {{wake_fd, POLLIN, 0}, {input_fd_, POLLOUT, 0}, {error_fd_, POLLIN, 0}};
  if (::poll(polled, std::size(polled), limit_ms) <= 0) return {};
  if (polled[1].revents != 0) feed();
  return polled[2].revents != 0 ? errors() : std::string();
}

std::string Child::errors() {
  std::string out;
  char buffer[4096];
  while (error_fd_ >= 0) {
    ssize_t const got = ::read(error_fd_, buffer, sizeof buffer);
    if (got > 0) out.append(buffer, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close_if_open(error_fd_);
    // A command that writes without end must not keep its reader here.
    if ((got < 0 && errno == EAGAIN) || out.size() >= sizeof buffer * 16) break;
  }
  return out;
}

void Child::signal(int number) const {
  if (pid_ > 0) ::kill(has_group_ ? -pid_ : pid_, number);
}

bool Child::reap() {
  if (pid_ < 0) return true;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  end_ = WIFSIGNALED(status) ? End{0, WTERMSIG(status)} : End{WEXITSTATUS(status), 0};
  pid_ = -1;
  close_if_open(input_fd_);
  return true;
}

}  // namespace fastjournal::cli
