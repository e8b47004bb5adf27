#include "clients/cli/work.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "clients/cli/buffers.h"
#include "clients/cli/child.h"
#include "clients/cli/signals.h"
#include "clients/lib/journal.h"
#include "clients/lib/socket.h"

namespace fastjournal::cli {

namespace {

using client::Connection;
using client::Journal;
using client::Milliseconds;
using client::Moment;
using client::Row;

constexpr DurationMs kLeaseDefault{60'000};
// Short enough that a stop is not kept waiting, long enough to cost nothing.
constexpr DurationMs kPollWait{1'000};
// Even a listener asks now and then: a wake-up may be lost with its daemon.
constexpr Milliseconds kListenMax{60'000};
// While COMMAND runs, an absent daemon must not keep us from it for longer.
constexpr Milliseconds kCallMax{5'000};
constexpr std::chrono::seconds kPatienceAfterTerm{10};
constexpr std::size_t kVariableBytesMax = 64U * 1024;

Moment now() { return std::chrono::steady_clock::now(); }

bool is_outage(Code code) { return exit_code_of(code) == ExitCode::unreachable; }

// NEXT's answer, with the ROW as it came: the JSON keeps the types of its values.
struct Taken {
  Row row;
  std::string json;
};

std::vector<std::string> variables_of(Row const& row) {
  std::vector<std::string> out{"FJ_TABLE=" + row.table, "FJ_ROW=" + std::to_string(row.row),
                               "FJ_EPOCH=" + std::to_string(row.epoch), "FJ_PRIORITY=" + std::to_string(row.priority),
                               "FJ_TIMEOUTS=" + std::to_string(row.timeouts)};
  for (auto const& [name, value] : row.columns) {
    // What no environment can hold is on standard input only.
    if (value.size() > kVariableBytesMax || value.find('\0') != std::string::npos) continue;
    std::string upper = name;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    out.push_back("FJ_" + upper + "=" + value);
  }
  return out;
}

class Worker {
 public:
  Worker(Invocation const& invocation, Console& console, Connection& connection)
      : one_(invocation),
        console_(console),
        connection_(connection),
        journal_(connection, invocation.table),
        lease_(invocation.lease.value_or(kLeaseDefault)) {}

  ExitCode run();

 private:
  enum class Outcome : std::uint8_t { succeeded, failed, stopped, lost };

  // A row, nothing for now (ok without a row), or what went wrong.
  Result<std::optional<Taken>> take();
  Status listen();
  void wait_for_work();
  ExitCode handle(Taken const& taken);
  Outcome run_command(Row const& row, Child& child);
  bool touch(Row const& row, Child& child);
  void pass_signals_on(Child* child);
  ExitCode settle(Row const& row, Outcome outcome, Child::End const& end);
  Status tell(Row const& row, Outcome outcome, std::string const& error);
  void report(Row const& row, std::string const& what);

  [[nodiscard]] Moment half_of_lease() const { return lease_end_ - Milliseconds{lease_.value / 2}; }
  [[nodiscard]] bool enough() const {
    return stop_signal_ != 0 || (one_.once && handled_ > 0) || (one_.max && handled_ >= *one_.max);
  }

  Invocation const& one_;
  Console& console_;
  Connection& connection_;
  Journal journal_;
  Buffers buffers_{connection_};
  SignalQueue signals_{{SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE}};
  DurationMs lease_;
  Moment lease_end_{};  // of the row at hand, on our clock
  std::uint64_t handled_{0};
  std::uint64_t failed_{0};
  int stop_signal_{0};
  bool outage_said_{false};
};

ExitCode Worker::run() {
  if (!signals_.ok()) return complain(one_, console_, Status(Code::io_error, "cannot read signals from a descriptor"));
  if (one_.listen)
    if (Status const listening = listen(); !listening.ok()) return complain(one_, console_, listening);
  while (!enough()) {
    pass_signals_on(nullptr);
    if (enough()) break;
    Result<std::optional<Taken>> taken = take();
    bool const may_wait = !one_.once && !one_.until_empty;
    if (!taken.ok() && !(may_wait && is_outage(taken.status().code()))) return complain(one_, console_, taken.status());
    if (!taken.ok()) {
      // The connection comes back by itself, with its pauses; a worker outlives its daemon's restart.
      if (!std::exchange(outage_said_, true)) static_cast<void>(complain(one_, console_, taken.status()));
      continue;
    }
    outage_said_ = false;
    if (taken.value()) {
      if (ExitCode const code = handle(*taken.value()); code != ExitCode::ok) return code;
      continue;
    }
    if (!may_wait) break;
    if (one_.listen) wait_for_work();
  }
  if (one_.once && handled_ == 0 && stop_signal_ == 0) return ExitCode::nothing;
  // Ended by a signal, it did what it was told, whatever single rows came to.
  return failed_ > 0 && stop_signal_ == 0 ? ExitCode::failed : ExitCode::ok;
}

Status Worker::listen() {
  client::Params params;
  if (!one_.domain.empty()) params.push_back({"domain", Value::of_text(one_.domain)});
  if (!one_.worker.empty()) params.push_back({"worker", Value::of_text(one_.worker)});
  return connection_.listen(one_.table, params);
}

Result<std::optional<Taken>> Worker::take() {
  Message next("NEXT");
  next.set("table", one_.table);
  next.set_integer("lease", lease_.value);
  if (!one_.domain.empty()) next.set("domain", one_.domain);
  if (!one_.worker.empty()) next.set("worker", one_.worker);
  if (!one_.once && !one_.until_empty && !one_.listen) next.set_integer("wait", kPollWait.value);
  Moment const asked = now();
  Result<client::Reply> reply = connection_.call(next);
  if (!reply.ok()) return reply.status();
  if (reply->first().command == "NOTHING") return std::optional<Taken>{};
  if (Status decoded = buffers_.decode(reply->messages.front(), one_.table); !decoded.ok()) return decoded;
  Result<Row> row = client::row_of(reply->first());
  if (!row.ok()) return row.status();
  if (row->table.empty()) row->table = one_.table;
  lease_end_ = asked + Milliseconds{lease_.value};
  return std::optional<Taken>{Taken{std::move(row).value(), render_json(reply->first())}};
}

void Worker::wait_for_work() {
  Moment const until = client::moment_after(kListenMax);
  while (now() < until && stop_signal_ == 0) {
    auto const left = std::chrono::ceil<Milliseconds>(until - now());
    Result<Message> const pushed = connection_.wait_push(left, signals_.fd());
    if (pushed.ok() || pushed.status().code() != Code::timed_out) return;
    pass_signals_on(nullptr);
  }
}

// Reads what signals came; those that stop us go to the command too, from the second on as SIGKILL.
void Worker::pass_signals_on(Child* child) {
  while (int const number = signals_.next()) {
    if (number == SIGCHLD || number == SIGPIPE) continue;
    bool const again = std::exchange(stop_signal_, number) != 0;
    if (child != nullptr) child->signal(again ? SIGKILL : number);
  }
}

void Worker::report(Row const& row, std::string const& what) {
  if (!one_.quiet) console_.err << fmt::format("{} row {}: {}\n", row.table, row.row, what) << std::flush;
}

ExitCode Worker::handle(Taken const& taken) {
  ++handled_;
  Result<Child> child = Child::start(one_.command, variables_of(taken.row), taken.json);
  if (!child.ok()) {
    // It would be the same with every row: give this one back and stop.
    static_cast<void>(tell(taken.row, Outcome::stopped, child.status().message()));
    console_.err << "fastjournal work: " << child.status().message() << '\n';
    return ExitCode::usage;
  }
  Outcome const outcome = run_command(taken.row, child.value());
  return settle(taken.row, outcome, child->how());
}

Worker::Outcome Worker::run_command(Row const& row, Child& child) {
  Moment touch_at = half_of_lease();
  Moment kill_at = Moment::max();
  bool lost = false;
  while (!child.reap()) {
    Moment const until = std::min(lost ? Moment::max() : touch_at, kill_at);
    client::Ready const ready = client::wait_for(child.input_fd(), child.input_fd() >= 0, signals_.fd(), until);
    if (ready.writable) child.feed();
    pass_signals_on(&child);
    if (!lost && now() >= touch_at) {
      lost = !touch(row, child);
      // After a failure soon again, while the lease lasts.
      touch_at = std::max(half_of_lease(), now() + Milliseconds{lease_.value / 8 + 1});
      if (lost) kill_at = now() + kPatienceAfterTerm;
    }
    if (now() >= kill_at) {
      child.signal(SIGKILL);
      kill_at = Moment::max();
    }
  }
  if (lost) return Outcome::lost;
  if (child.how().ok()) return Outcome::succeeded;
  return stop_signal_ != 0 ? Outcome::stopped : Outcome::failed;
}

// False: the row is somebody else's, or soon will be; the command is told to end.
bool Worker::touch(Row const& row, Child& child) {
  Moment const asked = now();
  Result<TimeMs> const touched = journal_.touch(row, lease_);
  if (touched.ok()) {
    lease_end_ = asked + Milliseconds{lease_.value};
    return true;
  }
  Code const code = touched.status().code();
  // An outage may pass in time; an expired row may still be done within its lease (DECISIONS 20).
  if (is_outage(code) || code == Code::expired) return true;
  report(row, "lost while the command ran: " + touched.status().text());
  child.signal(SIGTERM);
  return false;
}

Status Worker::tell(Row const& row, Outcome outcome, std::string const& error) {
  switch (outcome) {
    case Outcome::succeeded: return journal_.done(row);
    case Outcome::failed: return journal_.release(row, {.process_date = {}, .error = error});
    // Not the row's fault: at once, without back-off.
    case Outcome::stopped:
      return journal_.release(row, {.process_date = client::Date::in(DurationMs{0}), .error = error});
    case Outcome::lost: break;
  }
  return {};
}

ExitCode Worker::settle(Row const& row, Outcome outcome, Child::End const& end) {
  if (outcome != Outcome::succeeded) ++failed_;
  if (outcome == Outcome::lost) return ExitCode::ok;
  bool const park =
      outcome == Outcome::failed && one_.fail_status && end.signal == 0 && end.status == *one_.fail_status;
  std::string const error = one_.command.front() + ": " + end.text();
  auto const say = [&] { return park ? journal_.fail(row, error) : tell(row, outcome, error); };
  Status told = say();
  bool in_doubt = false;
  while (!told.ok() && is_outage(told.code()) && now() < lease_end_ && stop_signal_ == 0) {
    in_doubt = true;
    told = say();
    pass_signals_on(nullptr);
  }
  // The first try got through and only its answer was lost.
  bool const was_told = told.code() == Code::unknown_row || told.code() == Code::not_leased;
  if (in_doubt && was_told) told = {};
  if (!told.ok()) {
    static_cast<void>(complain(one_, console_, told));
    return is_outage(told.code()) && stop_signal_ != 0 ? ExitCode::unreachable : ExitCode::ok;
  }
  if (outcome == Outcome::succeeded)
    report(row, "done");
  else
    report(row, end.text() + (park ? ", parked" : ", released"));
  return ExitCode::ok;
}

}  // namespace

ExitCode work(Invocation const& invocation, Console& console) {
  Invocation within = invocation;
  within.timeout = std::min(within.timeout, kCallMax);
  Result<std::unique_ptr<Connection>> const connection = connect(within);
  if (!connection.ok()) {
    ExitCode const code = complain(invocation, console, connection.status());
    return connection.status().code() == Code::bad_parameter ? ExitCode::usage : code;
  }
  return Worker(invocation, console, *connection.value()).run();
}

}  // namespace fastjournal::cli
