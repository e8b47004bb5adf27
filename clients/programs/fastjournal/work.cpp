#include "clients/programs/fastjournal/work.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "clients/programs/fastjournal/signals.h"
#include "clients/programs/fastjournal/value_files.h"
#include "clients/programs/fastjournal/worker.h"

namespace fastjournal::cli {

namespace {

// `work -j N`: one process per worker, each with its own connection. So a long row or a lease renewal never delays
// another row, and the daemon wakes one worker per row.
class Crew {
 public:
  Crew(Invocation const& invocation, Console& console) : one_(invocation), console_(console) {}
  Crew(Crew const&) = delete;
  Crew& operator=(Crew const&) = delete;

  ExitCode run();

 private:
  bool start(unsigned count);
  void pass_signals_on();
  void collect();
  void note(int status);

  Invocation const& one_;
  Console& console_;
  SignalQueue signals_{{SIGTERM, SIGINT, SIGHUP, SIGCHLD}};
  std::vector<pid_t> workers_;
  ExitCode code_{ExitCode::ok};
};

ExitCode Crew::run() {
  if (!signals_.ok()) return complain(one_, console_, Status(Code::io_error, "cannot read signals from a descriptor"));
  // Only one process reports a missing daemon, not all of them.
  if (Result<std::unique_ptr<client::Connection>> const there = connect(one_); !there.ok()) {
    ExitCode const code = complain(one_, console_, there.status());
    return there.status().code() == Code::bad_parameter ? ExitCode::usage : code;
  }
  if (!start(*one_.jobs)) {
    code_ = complain(one_, console_, {Code::io_error, fmt::format("cannot start a worker: {}", std::strerror(errno))});
    for (pid_t const worker : workers_) ::kill(worker, SIGTERM);
  }
  while (!workers_.empty()) {
    pollfd one{signals_.fd(), POLLIN, 0};
    ::poll(&one, 1, -1);
    pass_signals_on();
    collect();
  }
  return code_;
}

bool Crew::start(unsigned count) {
  console_.out.flush();
  pid_t const parent = ::getpid();
  for (unsigned i = 0; i < count; ++i) {
    pid_t const pid = ::fork();
    if (pid < 0) return false;
    if (pid > 0) {
      workers_.push_back(pid);
      continue;
    }
    // A terminal's signals reach the workers only through us; and no worker outlives a killed crew.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ExitCode const code = ::getppid() == parent ? Worker(one_, console_, i == 0).run() : ExitCode::ok;
    console_.out.flush();
    ::_exit(static_cast<int>(code));
  }
  return true;
}

void Crew::pass_signals_on() {
  while (int const number = signals_.next())
    if (number != SIGCHLD)
      for (pid_t const worker : workers_) ::kill(worker, number);
}

void Crew::collect() {
  std::erase_if(workers_, [this](pid_t worker) {
    int status = 0;
    if (::waitpid(worker, &status, WNOHANG) != worker) return false;
    note(status);
    return true;
  });
}

// The worst status becomes the exit status.
void Crew::note(int status) {
  constexpr std::array kWorstFirst{ExitCode::usage, ExitCode::refused, ExitCode::unreachable, ExitCode::failed,
                                   ExitCode::ok};
  ExitCode const code = WIFSIGNALED(status) ? ExitCode::failed : static_cast<ExitCode>(WEXITSTATUS(status));
  if (WIFSIGNALED(status)) cli::note(one_, console_, fmt::format("a worker was killed by signal {}", WTERMSIG(status)));
  code_ = *std::find_if(kWorstFirst.begin(), kWorstFirst.end(),
                        [&](ExitCode one) { return one == code_ || one == code || one == ExitCode::ok; });
}

}  // namespace

ExitCode work(Invocation const& invocation, Console& console) {
  // Before a row is taken.
  if (Status const found = Child::find(invocation.command); !found.ok())
    return misuse(invocation, console, found.message());
  ValueFiles::remove_left();
  if (invocation.jobs && *invocation.jobs > 1) return Crew(invocation, console).run();
  return Worker(invocation, console, true).run();
}

}  // namespace fastjournal::cli
