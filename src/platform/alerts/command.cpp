#include "platform/alerts/command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <fmt/format.h>

extern char** environ;

namespace fastjournal::alerts {
namespace {

Status failure(std::string_view call, std::string_view what, int error) {
  return {Code::io_error, fmt::format("{} {}: {}", call, what, std::generic_category().message(error))};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// The attributes and file actions of posix_spawn, released at the end.
struct SpawnPlan {
  SpawnPlan() {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(SpawnPlan const&) = delete;
  SpawnPlan& operator=(SpawnPlan const&) = delete;

  // A separate group, so that its children end with it; default signals, as programs expect.
  void fill(int output) {
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    // The program must not inherit descriptors of the daemon or its libraries.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  }

  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};
};

}  // namespace

std::vector<std::string> alert_environment(log::AlertNotice const& notice) {
  log::Alert const& alert = notice.alert;
  std::vector<std::string> out;
  auto const add = [&out](std::string_view name, std::string value) {
    std::replace(value.begin(), value.end(), '\0', ' ');
    out.push_back("FASTJOURNAL_ALERT_" + std::string{name} + "=" + value);
  };
  add("STATE", notice.up ? "up" : "down");
  add("TABLE", alert.table);
  add("NAME", alert.name);
  add("PRIORITY", std::to_string(alert.priority));
  add("MESSAGE", alert.message);
  add("TAGS", alert.tags);
  add("COUNT", std::to_string(alert.count));
  add("FIRST", std::to_string(alert.first.value));
  add("LAST", std::to_string(alert.last.value));
  add("MANUAL", alert.manual ? "yes" : "no");
  return out;
}

Result<std::unique_ptr<RunningCommand>> RunningCommand::start(std::string const& program,
                                                              std::vector<std::string> const& arguments,
                                                              std::vector<std::string> const& environment,
                                                              std::int64_t deadline_us) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failure("pipe for", program, errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);  // our end only: programs expect a blocking one
  SpawnPlan plan;
  plan.fill(ends[1]);
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> settings;
  for (char** one = environ; *one != nullptr; ++one) settings.emplace_back(*one);
  settings.insert(settings.end(), environment.begin(), environment.end());
  pid_t pid = 0;
  int const error = ::posix_spawn(&pid, program.c_str(), &plan.actions, &plan.attributes, pointers(words).data(),
                                  pointers(settings).data());
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return failure("run", program, error);
  }
  int const ended = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U));
  int const ended_error = errno;
  std::unique_ptr<RunningCommand> out{new RunningCommand(pid, ends[0], ended, deadline_us)};
  if (ended < 0) return failure("pidfd_open of", program, ended_error);  // `out` kills the program
  return out;
}

RunningCommand::~RunningCommand() {
  if (!collected_) {
    kill();
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (output_ >= 0) ::close(output_);
  if (ended_ >= 0) ::close(ended_);
}

void RunningCommand::read_output() {
  char buffer[4096];
  for (int looks = 0; looks < 16; ++looks) {
    ssize_t const got = ::read(output_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;
    if (got == 0) {
      ::close(output_);
      output_ = -1;
      return;
    }
    text_.append(buffer, std::min(static_cast<std::size_t>(got), kOutputBytesMax - text_.size()));
  }
}

bool RunningCommand::collect(std::string& how) {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  collected_ = true;
  if (output_ >= 0) read_output();
  if (killed_)
    how = "was ended: its time was over";
  else if (WIFSIGNALED(status))
    how = fmt::format("was ended by signal {}", WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    how = fmt::format("ended with status {}", WEXITSTATUS(status));
  else
    how.clear();
  return true;
}

void RunningCommand::kill() {
  killed_ = true;
  ::kill(-pid_, SIGKILL);
}

}  // namespace fastjournal::alerts
