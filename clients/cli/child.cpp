#include "clients/cli/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

extern char** environ;

namespace fastjournal::cli {

namespace {

// NULL-ended, borrowed from the strings.
std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& one : strings) out.push_back(one.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(std::vector<std::string> const& variables) {
  std::vector<std::string> out;
  for (char** one = environ; *one != nullptr; ++one)
    // What an outer `work` set is not this row's.
    if (!std::string_view(*one).starts_with("FJ_")) out.emplace_back(*one);
  out.insert(out.end(), variables.begin(), variables.end());
  return out;
}

// posix_spawn's two objects, destroyed together.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  explicit SpawnPlan(int standard_input) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, standard_input, STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnPlan(SpawnPlan const&) = delete;
  SpawnPlan& operator=(SpawnPlan const&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

Status failed(std::string const& what, int error) { return {Code::io_error, what + ": " + std::strerror(error)}; }

}  // namespace

std::string Child::End::text() const {
  if (signal == 0) return "exit status " + std::to_string(status);
  return "killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

Result<Child> Child::start(std::vector<std::string> const& command, std::vector<std::string> const& variables,
                           std::string input) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failed("make a pipe for " + command.front(), errno);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(variables);
  SpawnPlan const plan(ends[0]);
  pid_t pid = -1;
  int const error = ::posix_spawnp(&pid, command.front().c_str(), &plan.actions, &plan.attributes,
                                   pointers_to(arguments).data(), pointers_to(environment).data());
  ::close(ends[0]);
  if (error != 0) {
    ::close(ends[1]);
    return failed("run " + command.front(), error);
  }
  return Child(pid, ends[1], std::move(input));
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_fd_(std::exchange(other.input_fd_, -1)),
      input_(std::move(other.input_)),
      fed_(other.fed_),
      end_(other.end_) {}

Child::~Child() {
  close_input();
  if (pid_ < 0) return;
  signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void Child::close_input() {
  if (input_fd_ >= 0) ::close(input_fd_);
  input_fd_ = -1;
}

void Child::feed() {
  if (input_fd_ < 0) return;
  ssize_t const took = ::write(input_fd_, input_.data() + fed_, input_.size() - fed_);
  if (took < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (took > 0) fed_ += static_cast<std::size_t>(took);
  // It may end without reading all of it; that is its own business.
  if (took < 0 || fed_ == input_.size()) close_input();
}

void Child::signal(int number) const {
  if (pid_ > 0) ::kill(-pid_, number);
}

bool Child::reap() {
  if (pid_ < 0) return true;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  end_ = WIFSIGNALED(status) ? End{0, WTERMSIG(status)} : End{WEXITSTATUS(status), 0};
  pid_ = -1;
  close_input();
  return true;
}

}  // namespace fastjournal::cli
