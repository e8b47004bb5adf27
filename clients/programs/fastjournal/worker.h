// One worker of `fastjournal work`: leases a row, runs the command for it, reports the result, and waits for a notice
// of the next one, until told to stop.
//
// It always listens, and also asks once a minute: only a missing answer shows that the daemon's computer is gone. A
// waiting NEXT would make listening unnecessary, but a row leased while the worker is being stopped would end in a
// time-out.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clients/cpp/journal.h"
#include "clients/cpp/socket.h"
#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/child.h"
#include "clients/programs/fastjournal/group_guard.h"
#include "clients/programs/fastjournal/options.h"
#include "clients/programs/fastjournal/signals.h"

namespace fastjournal::cli {

struct WorkOptions {
  OptionSet& to;
  CommandWords command{to};
  Number<std::uint32_t> jobs{to, "-j,--jobs", "so many at once, each with a connection of its own",
                             WholeNumbers{1, 1024}};
  Duration lease{to, "--lease", "renewed at half of it while COMMAND runs (default 60s)"};
  Text domain{to, "--domain", journal::next::domain};
  Text worker{to, "--worker", journal::next::worker};
  Flag once{to, "--once", "one row, if one is due", excludes(jobs)};
  Number<> max{to, "--max", "end after so many rows (with -j: each of them)", WholeNumbers{1}, excludes(once)};
  Flag until_empty{to, "--until-empty", "end when nothing is due"};
  Number<int> fail_status{to, "--fail-status", "COMMAND's exit status for: this row can never work (parked at once)",
                          WholeNumbers{1, 255}};
  Flag input_only{to, "--input-only",
                  "COMMAND reads the row from standard input: no FJ_<COLUMN>, and values may be anything"};
  Flag quiet{to, "--quiet", "do not report each row on standard error"};
  Duration stop_after{
      to, "--stop-after",
      "after a signal, with a daemon that does not answer: try so long to say how the row ended (default 5s)"};
};

class Worker {
 public:
  // `tells`: reports when work stops coming and when it continues; only one of several workers does.
  Worker(WorkOptions const& given, Call& call, bool tells)
      : one_(given),
        call_(call),
        tells_(tells),
        waits_(!given.once && !given.until_empty),
        lease_(given.lease.value_or(kLeaseDefault)) {}
  Worker(Worker const&) = delete;
  Worker& operator=(Worker const&) = delete;
  ~Worker();

  // Connects, and works until done or told to stop. Blocks SIGTERM, SIGINT, SIGHUP, SIGCHLD and SIGPIPE meanwhile, and
  // reads them from a descriptor.
  ExitCode run();

 private:
  enum class Outcome : std::uint8_t { succeeded, failed, stopped, lost };
  // What is told of a row that failed.
  struct Failure {
    std::string error;
    std::string trace;  // empty: the error says all
  };
  // The answer of NEXT, with the original ROW: the JSON keeps the types of its values.
  struct Taken {
    client::Row row;
    std::string json;
  };
  static constexpr DurationMs kLeaseDefault{60'000};

  ExitCode work();
  Status listen();
  // A row, ok without a row if there is none now, or an error.
  Result<std::optional<Taken>> take();
  // After an empty answer. Ok: ask again.
  Status wait_for_work();
  // After a refused NEXT. Ok: ask again.
  Status wait_out(Status const& why);
  void hear_of_connection(Status const& how);
  void say(std::string const& what);
  ExitCode handle(Taken const& taken);
  Outcome run_command(client::Row const& row, Child& child, Failure& failure);
  bool touch(client::Row const& row, Child& child);
  void look_at_connection();
  void pass_signals_on(Child* child);
  // A column that the environment cannot hold is not left out: the command would do something else than intended.
  ExitCode refuse(client::Row const& row, std::string const& column);
  // `how`: the outcome, for people.
  ExitCode settle(client::Row const& row, Outcome outcome, bool park, std::string const& how, Failure const& failure);
  void end_soon();
  // As Connection::call, but a signal shortens it to what is left of --stop-after. `child`: of a renewal, which ends as
  // soon as a signal comes while there is no connection.
  Result<client::Reply> ask(Message const& command, Child* child);
  Result<std::string> tell(client::Row const& row, Outcome outcome, bool park, Failure const& failure);
  void report(client::Row const& row, std::string const& what);

  [[nodiscard]] client::Moment half_of_lease() const { return lease_end_ - client::Milliseconds{lease_.value / 2}; }
  [[nodiscard]] bool enough() const {
    return stop_signal_ != 0 || (one_.once && handled_ > 0) || (one_.max && handled_ >= *one_.max);
  }

  WorkOptions const& one_;
  Call& call_;
  bool tells_;
  bool waits_;  // for work, and through every outage
  SignalQueue signals_{{SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE, SIGALRM}};
  std::unique_ptr<client::Connection> connection_;
  std::optional<client::Journal> journal_;
  std::optional<Buffers> buffers_;
  GroupGuard guard_;
  DurationMs lease_;
  client::Moment lease_end_{};  // of the current row, on our clock
  // After a signal, the end of what is said of the row.
  client::Moment stop_at_{client::Moment::max()};
  std::uint64_t handled_{0};
  std::uint64_t failed_{0};
  int stop_signal_{0};
  bool connected_{true};
  bool adopts_{false};  // connected again: the lease is of a connection that is gone
  Status refused_;      // the subscription, while a command ran
  bool paused_{false};
};

}  // namespace fastjournal::cli
