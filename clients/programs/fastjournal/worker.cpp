#include "clients/programs/fastjournal/worker.h"

#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "clients/cpp/error_text.h"
#include "clients/cpp/in_flight.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/failure_text.h"
#include "clients/programs/fastjournal/value_files.h"
#include "model/date.h"

namespace fastjournal::cli {

namespace {

using client::Connection;
using client::Milliseconds;
using client::Moment;
using client::Returned;
using client::Row;

// A listener asks as well: only this detects that the daemon's computer is gone.
constexpr Milliseconds kListenMax{60'000};
// While COMMAND runs, an absent daemon may delay the worker by no more than this.
constexpr Milliseconds kCallMax{5'000};
constexpr std::chrono::seconds kPatienceAfterTerm{10};
constexpr DurationMs kStopAfterDefault{5'000};
// While a command runs, the connection is looked at so often, and so long if it is lost.
constexpr std::chrono::seconds kConnectionLook{1};
constexpr Milliseconds kReconnectLook{200};
constexpr std::size_t kVariableBytesMax = 64U * 1024;

Moment now() { return std::chrono::steady_clock::now(); }

bool is_outage(Code code) { return exit_code_of(code) == ExitCode::unreachable; }

// The first column that the environment cannot hold; null: none.
std::string const* uncarried_column(Row const& row) {
  auto const found = std::find_if(row.columns.begin(), row.columns.end(),
                                  [](auto const& column) { return column.second.find('\0') != std::string::npos; });
  return found == row.columns.end() ? nullptr : &found->first;
}

std::string variable_of(std::string_view prefix, std::string const& column) {
  std::string out{prefix};
  for (char const c : column) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// What a command finds of its row: variables for the facts and the columns, and for the largest of these, which the
// environment does not hold, variables with the path of a file.
class Variables {
 public:
  Variables(Row const& row, bool with_columns);

  // Two of the same name, of which the command would find one; empty: none.
  [[nodiscard]] std::string const& ambiguous() const { return ambiguous_; }
  [[nodiscard]] std::vector<std::string> const& all() const { return all_; }
  // Values above kVariableBytesMax, the system's limit of one variable being 128 KiB.
  [[nodiscard]] Status move_large() { return move(large_); }
  // A quarter of the others, at least one. False: there are none.
  [[nodiscard]] bool can_move() const { return moved_ < columns_.size(); }
  [[nodiscard]] Status move_more() { return move(moved_ + std::max<std::size_t>((columns_.size() - moved_) / 4, 1)); }

 private:
  [[nodiscard]] Status move(std::size_t count);
  void make();

  Row const& row_;
  std::vector<std::pair<std::string const, std::string> const*> columns_;  // the largest values first
  std::vector<std::string> paths_;                                         // of the first of them
  std::size_t large_{0};
  std::size_t moved_{0};
  ValueFiles files_;
  std::vector<std::string> all_;
  std::string ambiguous_;
};

Variables::Variables(Row const& row, bool with_columns) : row_(row) {
  if (with_columns)
    for (auto const& column : row.columns) columns_.push_back(&column);
  std::stable_sort(columns_.begin(), columns_.end(),
                   [](auto const* a, auto const* b) { return a->second.size() > b->second.size(); });
  large_ = static_cast<std::size_t>(std::count_if(
      columns_.begin(), columns_.end(), [](auto const* one) { return one->second.size() > kVariableBytesMax; }));
  make();
}

void Variables::make() {
  all_ = {"FJ_TABLE=" + row_.table,
          "FJ_ROW=" + std::to_string(row_.row),
          "FJ_EPOCH=" + std::to_string(row_.epoch),
          "FJ_PRIORITY=" + std::to_string(row_.priority),
          "FJ_TIMEOUTS=" + std::to_string(row_.timeouts),
          "FJ_ATTEMPT=" + std::to_string(row_.attempts + 1)};
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    auto const& [name, value] = *columns_[i];
    std::string const variable = variable_of(i < moved_ ? "FJ_FILE_" : "FJ_", name) + "=";
    bool const is_taken =
        std::any_of(all_.begin(), all_.end(), [&](std::string const& one) { return one.starts_with(variable); });
    if (is_taken)
      ambiguous_ =
          fmt::format("column {} would replace the variable {}", name, variable.substr(0, variable.size() - 1));
    all_.push_back(variable + (i < moved_ ? paths_[i] : value));
  }
}

Status Variables::move(std::size_t count) {
  count = std::min(count, columns_.size());
  while (paths_.size() < count) {
    Result<std::string> path = files_.write(columns_[paths_.size()]->second);
    if (!path.ok()) return path.status();
    paths_.push_back(std::move(path).value());
  }
  moved_ = count;
  make();
  return {};
}

// The fate of a failed row.
std::string sentence_of(Row const& row, Returned const& returned) {
  std::uint64_t const attempts = row.attempts + 1;
  switch (returned.fate) {
    case Returned::Fate::parked:
      return fmt::format("parked after {}", attempts == 1 ? "1 attempt" : fmt::format("{} attempts", attempts));
    case Returned::Fate::deleted: return "deleted: given up, or expired";
    case Returned::Fate::released: break;
  }
  return fmt::format("attempt {} failed, released{}", attempts,
                     returned.process_date ? ", due " + model::format_date(returned.process_date->value) : "");
}

}  // namespace

// No alarm comes once the signals are not blocked any more.
Worker::~Worker() {
  itimerval const none{};
  ::setitimer(ITIMER_REAL, &none, nullptr);
}

ExitCode Worker::run() {
  if (!signals_.ok()) return call_.complain(Status(Code::io_error, "cannot read signals from a descriptor"));
  client::Options options = connection_options(call_);
  options.time_limit = std::min(options.time_limit, kCallMax);
  options.on_connection = [this](Status const& how) { hear_of_connection(how); };
  Result<std::unique_ptr<Connection>> opened = Connection::open(std::move(options));
  if (!opened.ok()) return call_.unconnected(opened.status());
  connection_ = std::move(opened).value();
  journal_.emplace(*connection_, call_.table);
  buffers_.emplace(*connection_);
  return work();
}

ExitCode Worker::work() {
  if (waits_)
    if (Status const listening = listen(); !listening.ok()) return call_.complain(listening);
  while (!enough()) {
    pass_signals_on(nullptr);
    if (enough()) break;
    Result<std::optional<Taken>> taken = take();
    if (!taken.ok()) {
      if (Status const waited = wait_out(taken.status()); !waited.ok()) return call_.complain(waited);
      if (!waits_) break;
      continue;
    }
    if (std::exchange(paused_, false)) say("work goes on");
    if (taken.value()) {
      if (ExitCode const code = handle(*taken.value()); code != ExitCode::ok) return code;
      continue;
    }
    if (!waits_) break;
    if (Status const waited = wait_for_work(); !waited.ok()) return call_.complain(waited);
  }
  if (one_.once && handled_ == 0 && stop_signal_ == 0) return ExitCode::nothing;
  // Ended by a signal, it did as told, whatever the results of single rows.
  return failed_ > 0 && stop_signal_ == 0 ? ExitCode::failed : ExitCode::ok;
}

Status Worker::listen() {
  client::Params params;
  if (!one_.domain.empty()) params.push_back({"domain", Value::of_text(one_.domain)});
  if (!one_.worker.empty()) params.push_back({"worker", Value::of_text(one_.worker)});
  return connection_->listen(call_.table, params);
}

Result<std::optional<Worker::Taken>> Worker::take() {
  Message next("NEXT");
  next.set("table", call_.table);
  next.set_integer("lease", lease_.value);
  if (!one_.domain.empty()) next.set("domain", one_.domain);
  if (!one_.worker.empty()) next.set("worker", one_.worker);
  Moment const asked = now();
  Result<client::Reply> reply = connection_->call(next);
  if (!reply.ok()) return reply.status();
  if (reply->first().command == "NOTHING") return std::optional<Taken>{};
  if (Status decoded = buffers_->decode(reply->messages.front(), call_.table); !decoded.ok()) return decoded;
  Result<Row> row = client::row_of(reply->first());
  if (!row.ok()) return row.status();
  if (row->table.empty()) row->table = call_.table;
  lease_end_ = asked + Milliseconds{lease_.value};
  return std::optional<Taken>{Taken{std::move(row).value(), render_json(reply->first())}};
}

// The empty NEXT has armed this listener: from now on the daemon notifies it.
Status Worker::wait_for_work() {
  if (!refused_.ok()) return std::exchange(refused_, Status{});
  Moment const until = client::moment_after(kListenMax);
  while (now() < until && stop_signal_ == 0) {
    auto const left = std::chrono::ceil<Milliseconds>(until - now());
    Result<Message> const pushed = connection_->wait_push(left, signals_.fd());
    // A subscription refused after a reconnect would never notify.
    if (pushed.ok()) return client::refusal_of(pushed.value());
    if (pushed.status().code() != Code::timed_out) return pushed.status();
    pass_signals_on(nullptr);
  }
  return {};
}

Status Worker::wait_out(Status const& why) {
  if (why.code() == Code::paused) {
    if (!std::exchange(paused_, true)) say(why.message() + (waits_ ? "; waiting" : ""));
    return waits_ ? wait_for_work() : Status{};
  }
  if (!waits_ || !is_outage(why.code())) return why;
  // Without an answer, the listener may be woken but not armed again: ask. A new connection reports the waiting work.
  return connected_ ? Status{} : wait_for_work();
}

// The connection is restored by itself, with pauses; a worker outlives its daemon's restart.
void Worker::hear_of_connection(Status const& how) {
  if (std::exchange(connected_, how.ok()) == how.ok()) return;
  adopts_ = how.ok();
  say(how.ok() ? "connected again" : how.message() + "; trying again");
}

void Worker::say(std::string const& what) {
  if (tells_) call_.note(what);
}

// Reads pending signals. Those that stop the worker also go to the command, from the second one on as SIGKILL.
void Worker::pass_signals_on(Child* child) {
  while (int const number = signals_.next()) {
    if (number == SIGCHLD || number == SIGPIPE || number == SIGALRM) continue;
    bool const again = std::exchange(stop_signal_, number) != 0;
    if (!again) end_soon();
    if (child != nullptr) child->signal(again ? SIGKILL : number);
  }
}

void Worker::report(Row const& row, std::string const& what) {
  if (one_.quiet) return;
  if (call_.json)
    call_.note(fmt::format("row {}: {}", row.row, what));
  else
    call_.console.err << fmt::format("{} row {}: {}\n", row.table, row.row,
                                     printable(with_dates(what, call_.console.look)))
                      << std::flush;
}

ExitCode Worker::handle(Taken const& taken) {
  ++handled_;
  if (!one_.input_only)
    if (std::string const* const column = uncarried_column(taken.row)) return refuse(taken.row, *column);
  Variables variables(taken.row, !one_.input_only);
  Status given = variables.move_large();
  std::optional<Result<Child>> child;
  while (given.ok() && variables.ambiguous().empty()) {
    child.emplace(Child::start(one_.command, variables.all(), taken.json, guard_));
    if (child->ok() || child->status().code() != Code::too_large || !variables.can_move()) break;
    given = variables.move_more();
  }
  if (!given.ok()) {
    std::string const why = "its values cannot be given to the command: " + given.message();
    return settle(taken.row, Outcome::failed, false, why, {failure_text(one_.command.front(), why, {}), {}});
  }
  if (!variables.ambiguous().empty() || !child->ok()) {
    // Every row would fail in the same way: return this one, without counting an attempt, and stop.
    static_cast<void>(journal_->release(taken.row));
    return call_.misuse(variables.ambiguous().empty()
                            ? child->status().message()
                            : variables.ambiguous() + ": work with --input-only, or rename it");
  }
  Child& running = child->value();
  Failure failure;
  Outcome const outcome = run_command(taken.row, running, failure);
  guard_.release();
  Child::End const end = running.how();
  bool const park =
      outcome == Outcome::failed && one_.fail_status && end.signal == 0 && end.status == *one_.fail_status;
  return settle(taken.row, outcome, park, end.text(), failure);
}

// For good: every attempt would fail in the same way.
ExitCode Worker::refuse(Row const& row, std::string const& column) {
  std::string const why =
      fmt::format("column {} has a NUL, which no environment can hold: work with --input-only", column);
  return settle(row, Outcome::failed, true, why, {failure_text(one_.command.front(), why, {}), {}});
}

Worker::Outcome Worker::run_command(Row const& row, Child& child, Failure& failure) {
  Moment touch_at = half_of_lease();
  Moment kill_at = Moment::max();
  bool lost = false;
  Tail tail;
  // The command's standard error is copied to ours as it arrives.
  auto const pass_on = [&](std::string const& said) {
    if (said.empty()) return;
    call_.console.err << said << std::flush;
    tail.add(said);
  };
  // The row came over the connection that there is.
  adopts_ = false;
  while (!child.reap()) {
    Moment const look_at = now() + kConnectionLook;
    pass_on(child.talk(signals_.fd(), lost ? kill_at : std::min({touch_at, kill_at, look_at})));
    pass_signals_on(&child);
    if (!lost && now() >= look_at) look_at_connection();
    if (!lost && (std::exchange(adopts_, false) || now() >= touch_at)) {
      lost = !touch(row, child);
      // After a failure, retry soon while the lease lasts.
      touch_at = std::max(half_of_lease(), now() + Milliseconds{lease_.value / 8 + 1});
      if (lost) kill_at = now() + kPatienceAfterTerm;
    }
    if (now() >= kill_at) {
      child.signal(SIGKILL);
      kill_at = Moment::max();
    }
  }
  pass_on(child.errors());
  failure.error = failure_text(one_.command.front(), child.how().text(), tail.bytes());
  failure.trace = failure_trace(tail.bytes(), failure.error);
  if (lost) return Outcome::lost;
  if (child.how().ok()) return Outcome::succeeded;
  return stop_signal_ != 0 ? Outcome::stopped : Outcome::failed;
}

// The daemon gives back what a lost connection had, after the grace: a TOUCH from the new one adopts it. What comes
// meanwhile is a notice, and the next NEXT asks in any case; or a refusal of the subscription.
void Worker::look_at_connection() {
  Result<Message> const pushed = connection_->wait_push(connected_ ? Milliseconds{1} : kReconnectLook, signals_.fd());
  if (pushed.ok()) refused_ = client::refusal_of(pushed.value());
}

// False: the row belongs to another worker, or soon will; the command is told to end.
bool Worker::touch(Row const& row, Child& child) {
  Moment const asked = now();
  Message renewal = journal_->done_of(row);
  renewal.command = "TOUCH";
  renewal.set_integer("lease", lease_.value);
  Result<client::Reply> const touched = ask(renewal, &child);
  if (touched.ok()) {
    lease_end_ = asked + Milliseconds{lease_.value};
    return true;
  }
  Code const code = touched.status().code();
  // An outage may be over in time; an expired row may still be done within its lease.
  if (is_outage(code) || code == Code::expired) return true;
  report(row, "lost while the command ran: " + touched.status().text());
  child.signal(SIGTERM);
  return false;
}

// What is said of the row has its time from now on; SIGALRM tells that it is over.
void Worker::end_soon() {
  std::int64_t const ms = one_.stop_after.value_or(kStopAfterDefault).value;
  stop_at_ = client::moment_after(Milliseconds{ms});
  itimerval const alarm{.it_interval = {}, .it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 + 1}};
  ::setitimer(ITIMER_REAL, &alarm, nullptr);
}

Result<client::Reply> Worker::ask(Message const& command, Child* child) {
  Moment const latest = client::moment_after(connection_->options().time_limit);
  Result<client::Ticket> ticket = connection_->send(command, signals_.fd());
  // Without a connection: woken by a signal. A renewal is tried again later, if COMMAND has not ended.
  while (!ticket.ok() && ticket.status().code() == Code::timed_out) {
    pass_signals_on(child);
    if (child != nullptr || now() >= std::min(latest, stop_at_)) break;
    ticket = connection_->send(command, signals_.fd());
  }
  if (!ticket.ok()) return ticket.status();
  while (!connection_->wait_answer(ticket.value(), client::kForever, signals_.fd())) {
    pass_signals_on(child);
    if (now() >= stop_at_) return Status{Code::timed_out, "no answer within --stop-after"};
  }
  return connection_->receive(ticket.value());
}

// Reports the outcome to the daemon; returns it in words.
Result<std::string> Worker::tell(Row const& row, Outcome outcome, bool park, Failure const& failure) {
  if (outcome == Outcome::succeeded) {
    Result<client::Reply> const done = ask(journal_->done_of(row), nullptr);
    if (!done.ok()) return done.status();
    return std::string("done");
  }
  // Stopped by us: not the row's fault, so no attempt is counted, and the row is due at once.
  Message command = park ? journal_->fail_of(row, failure.error, failure.trace)
                    : outcome == Outcome::failed
                        ? journal_->release_of(row, {.error = failure.error, .error_trace = failure.trace})
                        : journal_->release_of(row);
  Result<client::Reply> reply = ask(command, nullptr);
  if (client::drops_trace(command, reply.status())) reply = ask(command, nullptr);
  if (!reply.ok()) return reply.status();
  Result<Returned> const returned = client::Journal::returned_of(reply.value());
  if (!returned.ok()) return returned.status();
  if (outcome == Outcome::stopped && returned->fate == Returned::Fate::released) return std::string("released");
  return sentence_of(row, returned.value());
}

ExitCode Worker::settle(Row const& row, Outcome outcome, bool park, std::string const& how, Failure const& failure) {
  if (outcome != Outcome::succeeded) ++failed_;
  if (outcome == Outcome::lost) return ExitCode::ok;
  if (stop_signal_ != 0) end_soon();
  Result<std::string> told = tell(row, outcome, park, failure);
  bool in_doubt = false;
  while (!told.ok() && is_outage(told.status().code()) && now() < std::min(lease_end_, stop_at_)) {
    in_doubt = true;
    told = tell(row, outcome, park, failure);
    pass_signals_on(nullptr);
  }
  // The first attempt succeeded, and only its answer was lost.
  bool const was_told = told.status().code() == Code::unknown_row || told.status().code() == Code::not_leased;
  if (in_doubt && was_told) told = std::string(outcome == Outcome::succeeded ? "done" : "given back");
  if (!told.ok()) {
    static_cast<void>(call_.complain(told.status()));
    return is_outage(told.status().code()) && stop_signal_ != 0 ? ExitCode::unreachable : ExitCode::ok;
  }
  report(row, outcome == Outcome::succeeded ? told.value() : how + ": " + told.value());
  return ExitCode::ok;
}

}  // namespace fastjournal::cli
