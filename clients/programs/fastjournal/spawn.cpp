#include "clients/programs/fastjournal/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "clients/programs/fastjournal/group_guard.h"

extern char** environ;

namespace fastjournal::cli {
namespace {

constexpr int kNotRun = 127;
// Behind all descriptors that a command is given.
constexpr int kFirstOfOurs = 10;

Status not_started(std::string const& name, int error) {
  return {error == E2BIG ? Code::too_large : Code::io_error, "run " + name + ": " + std::strerror(error)};
}

// Null-terminated; borrows from the strings.
std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& one : strings) out.push_back(one.data());
  out.push_back(nullptr);
  return out;
}

// In the new process, with calls that are safe after a fork only. Returns if the program cannot be run.
void become(Dependent const& dependent, char const* program, char* const* words, char* const* environment,
            pid_t parent) {
  if (dependent.guard != nullptr) ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // It has ended before we asked for its signal.
  if (::getppid() != parent) ::_exit(kNotRun);
  if (dependent.guard != nullptr) dependent.guard->guard(::getpid());
  for (auto const& [ours, theirs] : dependent.descriptors)
    if (ours == theirs ? ::fcntl(ours, F_SETFD, 0) < 0 : ::dup2(ours, theirs) < 0) return;
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvpe(program, words, environment);
}

// 0, or why `path` is no program.
int why_not_run(std::string const& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return errno;
  if (!S_ISREG(found.st_mode)) return EACCES;
  return ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

}  // namespace

std::vector<std::string> environment_with(std::vector<std::string> const& variables) {
  std::vector<std::string> out;
  for (char** one = environ; *one != nullptr; ++one)
    if (!std::string_view(*one).starts_with("FJ_")) out.emplace_back(*one);
  out.insert(out.end(), variables.begin(), variables.end());
  return out;
}

Result<pid_t> start_dependent(Dependent dependent) {
  std::string const name = dependent.words.front();
  std::vector<char*> const words = pointers_to(dependent.words);
  std::vector<char*> const environment = pointers_to(dependent.environment);
  std::string const program = dependent.program.empty() ? name : dependent.program;
  int told[2];
  if (::pipe2(told, O_CLOEXEC) != 0) return not_started(name, errno);
  // Out of the way of what the command is given.
  if (int const behind = ::fcntl(told[1], F_DUPFD_CLOEXEC, kFirstOfOurs); behind >= 0) {
    ::close(told[1]);
    told[1] = behind;
  }
  if (dependent.guard != nullptr) dependent.guard->start();
  pid_t const parent = ::getpid();
  pid_t const pid = ::fork();
  if (pid == 0) {
    become(dependent, program.c_str(), words.data(), environment.data(), parent);
    int const error = errno;
    static_cast<void>(!::write(told[1], &error, sizeof error));
    ::_exit(kNotRun);
  }
  int error = errno;
  ::close(told[1]);
  // Here too: the next signal to the group may be first.
  if (pid > 0 && dependent.guard != nullptr) ::setpgid(pid, pid);
  ssize_t got = -1;
  while (pid > 0 && (got = ::read(told[0], &error, sizeof error)) < 0 && errno == EINTR) continue;
  ::close(told[0]);
  if (pid > 0 && got == 0) return pid;
  if (pid > 0)
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
  if (dependent.guard != nullptr) dependent.guard->release();
  return not_started(name, error);
}

Status find_program(std::string const& name) {
  if (name.find('/') != std::string::npos) {
    int const error = why_not_run(name);
    return error == 0 ? Status{} : not_started(name, error);
  }
  char const* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/bin:/usr/bin" : path;
  int why = ENOENT;
  while (true) {
    std::string_view const folder = rest.substr(0, rest.find(':'));
    int const error = why_not_run((folder.empty() ? "." : std::string{folder}) + "/" + name);
    if (error == 0) return {};
    if (error == EACCES) why = EACCES;
    if (folder.size() == rest.size()) return not_started(name, why);
    rest.remove_prefix(folder.size() + 1);
  }
}

}  // namespace fastjournal::cli
