// `fastjournal work`: lease rows, run a command for each, report the result, until told to stop; with one or several
// workers.
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
#include "clients/programs/fastjournal/verbs.h"
#include "clients/programs/fastjournal/worker.h"

namespace fastjournal::cli {

namespace {

// `work -j N`: one process per worker, each with its own connection. So a long row or a lease renewal never delays
// another row, and the daemon wakes one worker per row.
class Crew {
 public:
  Crew(WorkOptions const& given, Call& call) : one_(given), call_(call) {}
  Crew(Crew const&) = delete;
  Crew& operator=(Crew const&) = delete;

  ExitCode run();

 private:
  bool start(unsigned count);
  void pass_signals_on();
  void collect();
  void note(int status);

  WorkOptions const& one_;
  Call& call_;
  SignalQueue signals_{{SIGTERM, SIGINT, SIGHUP, SIGCHLD}};
  std::vector<pid_t> workers_;
  ExitCode code_{ExitCode::ok};
};

ExitCode Crew::run() {
  if (!signals_.ok()) return call_.complain(Status(Code::io_error, "cannot read signals from a descriptor"));
  // Only one process reports a missing daemon, not all of them.
  auto const there = client::Connection::open(connection_options(call_));
  if (!there.ok()) return call_.unconnected(there.status());
  if (!start(*one_.jobs)) {
    code_ = call_.complain({Code::io_error, fmt::format("cannot start a worker: {}", std::strerror(errno))});
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
  call_.console.out.flush();
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
    ExitCode const code = ::getppid() == parent ? Worker(one_, call_, i == 0).run() : ExitCode::ok;
    call_.console.out.flush();
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
  if (WIFSIGNALED(status)) call_.note(fmt::format("a worker was killed by signal {}", WTERMSIG(status)));
  code_ = *std::find_if(kWorstFirst.begin(), kWorstFirst.end(),
                        [&](ExitCode one) { return one == code_ || one == code || one == ExitCode::ok; });
}

struct Work {
  OptionSet& to;
  TableName table{to};
  WorkOptions given{to};

  std::string contradiction(Globals const& /*all*/) const {
    return given.command.empty() ? "work needs a command to run: fastjournal work TABLE [OPTIONS] -- COMMAND..." : "";
  }

  ExitCode run(Call& call) {
    // Before a row is taken.
    if (Status const found = Child::find(given.command); !found.ok()) return call.misuse(found.message());
    ValueFiles::remove_left();
    if (given.jobs && *given.jobs > 1) return Crew(given, call).run();
    return Worker(given, call, true).run();
  }
};

constexpr Verb kWork[]{
    {"work", "lease rows one by one and run COMMAND for each: `fastjournal work TABLE [OPTIONS] -- COMMAND...`",
     Needs::daemon, declare<Work>, "fastjournal work pages -j 4 -- sh -c 'curl -fsS \"$FJ_URI\" > page.html'",
     "COMMAND finds the row in FJ_TABLE, FJ_ROW, FJ_EPOCH, FJ_PRIORITY, FJ_TIMEOUTS, FJ_ATTEMPT (1 is the first) and\n"
     "FJ_<COLUMN>, and as one JSON object on standard input. Values above 64 KiB, and the largest of those that\n"
     "are too much together, are in files that FJ_FILE_<COLUMN> names, until COMMAND ends. A row with a NUL in a\n"
     "value, which no environment can hold, is not run but given up (FAIL), unless --input-only says that COMMAND\n"
     "reads its input. Exit status 0: done; any other: a failed attempt. The status and the end of standard error go "
     "with the row (`ls --traces` shows up to 64 KiB of it), which\n"
     "rests for the table's back-off or is given up after its `max-attempts`. The lease is renewed while COMMAND "
     "runs.\n"
     "Between rows the daemon wakes us (LISTEN); a pause, and a daemon that is away, are waited out. SIGTERM, SIGINT\n"
     "and SIGHUP are handed to COMMAND and its children; the row is then done or released and work ends; a second\n"
     "signal kills COMMAND."},
};

}  // namespace

Verbs work_verbs() { return kWork; }

}  // namespace fastjournal::cli
