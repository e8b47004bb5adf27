#include "clients/demo/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

namespace fastjournal::process {
namespace {

constexpr std::chrono::milliseconds kExitLook{5};
constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kLastLinesBytes = 2000;

// A pipe that a successful exec closes; otherwise it transfers errno.
struct ExecPipe {
  int ends[2]{-1, -1};

  ExecPipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  }
  ExecPipe(ExecPipe const&) = delete;
  ExecPipe& operator=(ExecPipe const&) = delete;
  ~ExecPipe() {
    for (int const end : ends)
      if (end >= 0) ::close(end);
  }

  // 0: the program is running.
  int wait_for_errno() {
    ::close(std::exchange(ends[1], -1));
    int error = 0;
    ssize_t got = -1;
    while ((got = ::read(ends[0], &error, sizeof error)) < 0 && errno == EINTR) {
    }
    return got == sizeof error ? error : 0;
  }
};

// Runs between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(char* const* words, int output, int errors, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before prctl.
  if (::getppid() != parent) ::_exit(1);
  // Ignored signals would stay ignored in the program, and blocked ones blocked.
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int const input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execv(words[0], words);
  int const error = errno;
  [[maybe_unused]] ssize_t const wrote = ::write(errors, &error, sizeof error);
  ::_exit(127);
}

std::string end_of(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) == 0 ? std::string{} : fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

Result<ChildProcess> ChildProcess::start(std::string name, std::vector<std::string> const& words,
                                         std::filesystem::path const& output) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  auto const failed = [&](std::string_view call, int error) {
    return Status{Code::io_error, fmt::format("start {}: {} {}: {}", name, call, words.front(), std::strerror(error))};
  };
  int const file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0)
    return Status{Code::io_error, fmt::format("start {}: open {}: {}", name, output.string(), std::strerror(errno))};
  ExecPipe errors;
  pid_t const parent = ::getpid();
  pid_t const pid = ::fork();
  int const fork_error = errno;
  if (pid == 0) become(arguments.data(), file, errors.ends[1], parent);
  ::close(file);
  if (pid < 0) return failed("fork", fork_error);
  ChildProcess child{name, output, pid};
  if (int const error = errors.wait_for_errno(); error != 0) return failed("execv", error);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : name_(std::move(other.name_)),
      output_(std::move(other.output_)),
      pid_(std::exchange(other.pid_, -1)),
      end_(std::move(other.end_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(output_, other.output_);
  std::swap(pid_, other.pid_);
  std::swap(end_, other.end_);
  return *this;
}

ChildProcess::~ChildProcess() { kill(); }

void ChildProcess::take_end(int status) {
  end_ = end_of(status);
  pid_ = -1;
}

std::optional<std::string> ChildProcess::ended() {
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) take_end(status);
  return end_;
}

bool ChildProcess::pause() {
  if (pid_ <= 0) return false;
  ::kill(pid_, SIGSTOP);
  int status = 0;
  while (::waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  if (WIFSTOPPED(status)) return true;
  take_end(status);
  return false;
}

void ChildProcess::resume() const {
  if (pid_ > 0) ::kill(pid_, SIGCONT);
}

void ChildProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  take_end(status);
}

std::string ChildProcess::stop() {
  if (pid_ > 0) ::kill(pid_, SIGTERM);
  auto const until = std::chrono::steady_clock::now() + kPatience;
  while (!ended() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kExitLook);
  if (ended()) return *end_;
  kill();
  return fmt::format("did not end within {} s of SIGTERM; killed", kPatience.count());
}

std::string last_lines(std::filesystem::path const& output) {
  std::ifstream file(output, std::ios::binary | std::ios::ate);
  if (!file) return {};
  auto const size = static_cast<std::size_t>(file.tellg());
  std::size_t const wanted = std::min(size, kLastLinesBytes);
  file.seekg(static_cast<std::streamoff>(size - wanted));
  std::string text(wanted, '\0');
  file.read(text.data(), static_cast<std::streamsize>(wanted));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace fastjournal::process
