// One worker of `fastjournal work`: leases a row, runs the command for it, says how it went, and waits to be woken
// for the next one, until told to stop.
//
// It always listens, and still asks once a minute: only an answer that fails to arrive shows that the daemon's computer
// is gone. A NEXT that waits would do without, but a row that it is given while the worker is being stopped would end
// in a time-out.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>

#include "clients/cli/buffers.h"
#include "clients/cli/child.h"
#include "clients/cli/commands.h"
#include "clients/cli/signals.h"
#include "clients/lib/journal.h"
#include "clients/lib/socket.h"

namespace fastjournal::cli {

class Worker {
 public:
  // `tells`: says when work stops coming and when it goes on; of several workers one does.
  Worker(Invocation const& invocation, Console& console, bool tells)
      : one_(invocation),
        console_(console),
        tells_(tells),
        waits_(!invocation.once && !invocation.until_empty),
        lease_(invocation.lease.value_or(kLeaseDefault)) {}

  // Connects, and works until it is enough. Blocks SIGTERM, SIGINT, SIGHUP, SIGCHLD and SIGPIPE meanwhile and reads them
  // from a descriptor.
  ExitCode run();

 private:
  enum class Outcome : std::uint8_t { succeeded, failed, stopped, lost };
  // NEXT's answer, with the ROW as it came: the JSON keeps the types of its values.
  struct Taken {
    client::Row row;
    std::string json;
  };
  static constexpr DurationMs kLeaseDefault{60'000};

  ExitCode work();
  Status listen();
  // A row, nothing for now (ok without a row), or what went wrong.
  Result<std::optional<Taken>> take();
  // Nothing came. Ok: ask again.
  Status wait_for_work();
  // Of a NEXT that was refused. Ok: ask again.
  Status wait_out(Status const& why);
  void hear_of_connection(Status const& how);
  void say(std::string const& what);
  ExitCode handle(Taken const& taken);
  Outcome run_command(client::Row const& row, Child& child, std::string& error);
  bool touch(client::Row const& row, Child& child);
  void pass_signals_on(Child* child);
  // What its environment cannot carry is not left out: the command would do something else than it was asked to.
  ExitCode refuse(client::Row const& row, std::string const& column);
  // `how` it came to that, for people.
  ExitCode settle(client::Row const& row, Outcome outcome, bool park, std::string const& how, std::string const& error);
  Result<std::string> tell(client::Row const& row, Outcome outcome, bool park, std::string const& error);
  void report(client::Row const& row, std::string const& what);

  [[nodiscard]] client::Moment half_of_lease() const { return lease_end_ - client::Milliseconds{lease_.value / 2}; }
  [[nodiscard]] bool enough() const {
    return stop_signal_ != 0 || (one_.once && handled_ > 0) || (one_.max && handled_ >= *one_.max);
  }

  Invocation const& one_;
  Console& console_;
  bool tells_;
  bool waits_;  // for work, and through whatever keeps it from coming
  SignalQueue signals_{{SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE}};
  std::unique_ptr<client::Connection> connection_;
  std::optional<client::Journal> journal_;
  std::optional<Buffers> buffers_;
  DurationMs lease_;
  client::Moment lease_end_{};  // of the row at hand, on our clock
  std::uint64_t handled_{0};
  std::uint64_t failed_{0};
  int stop_signal_{0};
  bool connected_{true};
  bool paused_{false};
};

}  // namespace fastjournal::cli
