// Starting and ending programs in tests; see child_process.h.
#include "tests/support/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <system_error>

namespace fastjournal::test {
namespace {

[[noreturn]] void fail(int error, std::string const& what) {
  throw std::system_error(error, std::generic_category(), what);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// The given ones come first: if a name is there twice, programs see the first one.
std::vector<std::string> environment_with(std::vector<std::string> const& given) {
  std::vector<std::string> out = given;
  for (char** at = environ; *at != nullptr; ++at) {
    std::string_view const one{*at};
    std::string_view const name = one.substr(0, one.find('=') + 1);
    bool replaced = false;
    for (std::string const& other : given) replaced = replaced || other.starts_with(name);
    if (!replaced) out.emplace_back(one);
  }
  return out;
}

pid_t spawn(std::vector<std::string> arguments, ChildOptions const& options, int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  if (options.merge_errors) posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  int next = 3;
  for (int const descriptor : options.descriptors) posix_spawn_file_actions_adddup2(&files, descriptor, next++);

  // The child starts with no signal blocked or ignored, whatever the test has set.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> environment = environment_with(options.environment);
  pid_t pid = -1;
  int const error = ::posix_spawnp(&pid, arguments[0].c_str(), &files, &attributes, pointers(arguments).data(),
                                   pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) fail(error, "start " + arguments[0]);
  return pid;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> const& arguments, ChildOptions const& options) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(errno, "pipe2");
  out_ = ends[0];
  try {
    pid_ = spawn(arguments, options, ends[1]);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
  pid_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
}

ChildProcess::~ChildProcess() {
  if (!code_) {
    kill(SIGKILL);
    collect(true);
  }
  if (pid_fd_ >= 0) ::close(pid_fd_);
  ::close(out_);
}

void ChildProcess::kill(int signal) {
  if (code_) return;
  ::kill(pid_, signal);
  if (signal != SIGSTOP) return;
  // Threads that run on another processor go on for a moment. Its end is left to collect().
  siginfo_t seen{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &seen, WSTOPPED | WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
}

std::optional<int> ChildProcess::collect(bool block) {
  if (code_) return code_;
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid_, &status, block ? 0 : WNOHANG);
  } while (ended < 0 && errno == EINTR);
  if (ended == pid_) code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code_;
}

// Waits for output, or, once the output has ended, for the end of the child.
bool ChildProcess::fill(Deadline deadline) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  // After its end only what is in the pipe is read: a grandchild may keep the other end open.
  if (code_ || left < 0) left = 0;
  pollfd look[2] = {{out_ended_ ? -1 : out_, POLLIN, 0}, {code_ ? -1 : pid_fd_, POLLIN, 0}};
  int const ready = ::poll(look, 2, static_cast<int>(left));
  if (ready < 0 && errno == EINTR) return true;
  if (ready == 0 && code_ && !out_ended_) {
    out_ended_ = true;
    return true;
  }
  if (ready <= 0) return false;
  if (look[1].revents != 0) collect(false);
  if (look[0].revents != 0) {
    char piece[16U << 10U];
    ssize_t const got = ::read(out_, piece, sizeof piece);
    if (got > 0) output_.append(piece, static_cast<std::size_t>(got));
    if (got == 0) out_ended_ = true;
  }
  return true;
}

std::optional<std::string> ChildProcess::read_line(std::chrono::milliseconds limit) {
  Deadline const deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    std::size_t const end = output_.find('\n', line_at_);
    if (end != std::string::npos) {
      std::string line = output_.substr(line_at_, end - line_at_);
      line_at_ = end + 1;
      return line;
    }
    if (out_ended_) {
      if (line_at_ == output_.size()) return std::nullopt;
      std::string line = output_.substr(line_at_);
      line_at_ = output_.size();
      return line;
    }
    if (!fill(deadline)) return std::nullopt;
  }
}

std::optional<std::string> ChildProcess::wait_for_line(std::string_view text, std::chrono::milliseconds limit) {
  Deadline const deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    std::optional<std::string> line = read_line(left);
    if (!line || line->find(text) != std::string::npos) return line;
  }
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds limit) {
  Deadline const deadline = std::chrono::steady_clock::now() + limit;
  while (!code_ || !out_ended_)
    if (!fill(deadline)) break;
  return code_;
}

void run_program(std::vector<std::string> const& arguments) {
  ChildProcess child{arguments};
  if (child.wait() == 0) return;
  std::string line;
  for (std::string const& word : arguments) line += " " + word;
  throw std::runtime_error("failed:" + line + ": " + child.output());
}

}  // namespace fastjournal::test
