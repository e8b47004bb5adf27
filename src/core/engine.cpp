#include "core/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/engine_group.h"

namespace fastjournal::core {
namespace {

// Rows that one call may enter into the order, at some 100 ns each.
constexpr std::size_t kAdvanceBudget = 4096;
// Tables looked at, and steps of one table, in one turn's timers.
constexpr std::uint32_t kTimedTablesPerTurn = 256;
constexpr std::uint32_t kStepsTogether = 4;
// The wait after a timer had no room in the log.
constexpr DurationMs kRetryWithoutSpace{100};

std::size_t bytes_of(Message const& message) {
  std::size_t bytes = 64;
  for (Param const& param : message.params()) bytes += param.value.bytes.size() + 16;
  return bytes;
}

// Names and values.
std::size_t bytes_of_parameters(Message const& message) {
  std::size_t bytes = 0;
  for (Param const& param : message.params()) bytes += param.name.size() + param.value.bytes.size();
  return bytes;
}

}  // namespace

Engine::Engine(TableTypes const& types, ReplySink& replies) : types_(types), replies_(replies) {}
Engine::~Engine() = default;

HostedTable* Engine::find(std::string_view name) const {
  std::uint32_t const number = by_name_.find(name);
  return number == NameTable::kAbsent ? nullptr : tables_[number].get();
}

HostedTable* Engine::find_table(std::string_view name) {
  HostedTable* table = find(name);
  return table == nullptr || table->table == nullptr ? nullptr : table;
}

// ---------------------------------------------------------------------------
// Commands

// Decides step by step, applies each step, so that the next one sees it, and closes the group.
Engine::Outcome Engine::run(HostedTable& table, Command const& command, TimeMs now, bool waited, Answer& answer,
                            Status& status) {
  CommandType const& type = table.type->commands()[command.index];
  HostedLog& log = *table.log;
  bool const is_due = table.next_due() <= now;
  if (is_due) {
    Collector falls_due{*this, table, {}};
    static_cast<void>(table.can.timed->advance(now, kAdvanceBudget, falls_due));
  }
  Collector observer{*this, table, now};

  if (type.kind == CommandKind::add && memory_bytes_ > memory_bytes_max_) {
    note_short_memory(now);
    status = Status{Code::no_space, "rows take " + std::to_string(memory_bytes_) + " bytes of memory, the limit is " +
                                        std::to_string(memory_bytes_max_) +
                                        ": finish and delete rows, or raise <limits memory-bytes=\"...\">"};
    return {Verdict::done, {}, {}};
  }
  if (type.kind == CommandKind::add && memory_ended_) {
    status = Status{Code::no_space,
                    "the daemon's process has no more memory: what adds is refused until it has; finish and delete "
                    "rows, give it more, or lower <limits memory-bytes=\"...\"> and client-memory"};
    return {Verdict::done, {}, {}};
  }
  bool const logs = type.kind != CommandKind::read;
  std::size_t room = logs ? 2 * bytes_of(*command.message) + kStepBytesMax + kGroupBytes : 0;
  Group& group = group_;
  group.begin(log);
  Group::Part part{group, table, observer};
  Decision decision{.now = now, .start = log.log->start(), .waited = waited, .records = part, .answer = answer};
  Durability durability = Durability::written;
  Verdict verdict = Verdict::done;
  do {
    bool const room_left = !logs || log.log->reserve(room, type.kind != CommandKind::add);
    if (type.kind == CommandKind::add) log.short_of_space = !room_left;
    if (!room_left) {
      note_short_disk(log, now);
      std::string const why = log.log->shortage();
      status = Status{
          Code::no_space,
          why.empty() ? "log " + log.name + " has no room for this: free disk space, or finish and delete rows" : why};
      verdict = Verdict::done;
      break;
    }
    verdict = table.table->decide(command, decision);
    looks_ += kLooksPerStep + std::exchange(decision.looks, 0U) + kLooksPerRecord * group.step_size();
    if (!decision.status.ok()) {
      FJ_CHECK(group.step_is_empty(), "a refused step appended records");
      status = std::move(decision.status);
      verdict = Verdict::done;
      break;
    }
    if (!group.step_is_empty()) {
      FJ_CHECK(logs, "a command that is declared to read appended records");
      if (decision.durability == Durability::synced) durability = Durability::synced;
      group.apply_step(now);
    }
    ++decision.step;
    room = kStepBytesMax + kGroupBytes;
  } while (verdict == Verdict::again);

  if (!group.is_empty()) close_group(log, now, durability);
  // DONE with next=1 leases rows too.
  if (type.kind == CommandKind::change || decision.take == Take::found) remember_table_of(command.connection, table);
  // Without a record its dates and its memory are unchanged.
  if (is_due || !group.is_empty()) refresh(table);
  return {verdict, decision.wait_until, decision.wait_topic, decision.take};
}

// Whoever asked must hear something, also of an empty list.
void Engine::say_something(HostedTable const& table, Answer& answer, Status const& status) {
  std::string const& nothing = table.type->declaration()->empty_answer;
  if (status.ok() && answer.empty() && !nothing.empty())
    answer.message(nothing).add("table", std::string_view{table.name});
}

bool Engine::execute(HostedTable& table, Command const& command, TimeMs now, Answer& answer, Status& status) {
  ++table.commands;
  Outcome const outcome = run(table, command, now, false, answer, status);
  if (!status.ok()) ++table.refused;
  if (table.subscriptions.took(command.connection, outcome.take)) mark_dirty(table);
  if (outcome.verdict != Verdict::wait) {
    say_something(table, answer, status);
    return true;
  }

  answer.clear();
  if (!command.message->has("request")) {
    // Its answer comes out of order: without a number nobody could tell to which command it belongs.
    status = Status{Code::missing_parameter,
                    std::string{command.message->command} + " with wait needs the parameter request"}
                 .with("parameter", "request");
    return true;
  }
  if (std::size_t const bytes = bytes_of_parameters(*command.message); bytes > Subscriptions::kParkedBytesMax) {
    status = Status{Code::too_large, std::string{command.message->command} + " with wait has parameters of " +
                                         std::to_string(bytes) + " bytes: at most " +
                                         std::to_string(Subscriptions::kParkedBytesMax) + " may wait"};
    return true;
  }
  WaitingCommand parked;
  parked.index = command.index;
  parked.connection = command.connection;
  parked.worker = command.worker;
  parked.origin = command.origin;
  parked.topic = outcome.wait_topic;
  parked.deadline = outcome.wait_until;
  parked.message.command = command.message->command;
  for (Param const& param : command.message->params()) parked.message.set(param.name, param.value);
  parked.message.from_server = command.message->from_server;
  parked.message.from_service = command.message->from_service;
  parked.message.own();
  if (!table.subscriptions.park(std::move(parked))) {
    status = Status{Code::over_limit, "table " + table.name + " has too many waiting commands; ask without wait"};
    return true;
  }
  remember_table_of(command.connection, table);
  refresh(table);
  return false;
}

void Engine::close_group(HostedLog& log, TimeMs now, Durability durability) {
  // In the group of their cause: recovery finds both or none.
  if (!pending_alerts_.empty() && log_alerts(log, now)) durability = Durability::synced;
  end_group(log, now, durability);
}

void Engine::end_group(HostedLog& log, TimeMs now, Durability durability) {
  // Once in a batch is enough, since `now` is the same for the whole turn.
  if (!log.clock_in_batch) {
    Group clock;
    clock.begin(log);
    Catalogue::append_clock(clock.catalogue(), {.now = now});
    clock.apply_step(now);
    log.clock_in_batch = true;
  }
  log.has_dead = true;
  log.log->end_group(durability);
}

// ---------------------------------------------------------------------------
// Connections

void Engine::remember_table_of(ConnectionId connection, HostedTable const& table) {
  if (connection == ConnectionId::none) return;
  std::vector<std::uint32_t>& tables = tables_of_[connection];
  auto const place = std::lower_bound(tables.begin(), tables.end(), table.number);
  if (place == tables.end() || *place != table.number) tables.insert(place, table.number);
}

void Engine::connection_closed(ConnectionId connection, TimeMs now) {
  auto const tables = tables_of_.find(connection);
  if (tables == tables_of_.end()) return;
  std::vector<std::uint32_t> const numbers = std::move(tables->second);
  tables_of_.erase(tables);
  for (std::uint32_t const number : numbers) {
    HostedTable& table = *tables_[number];
    if (table.table == nullptr) continue;
    table.subscriptions.closed(connection);
    closing_.emplace_back(connection, number);
    mark_dirty(table);
  }
  close_some(now);
}

// A connection may hold any number of leases, and many may end at once: the rest waits for the next turn. No client can
// notice that, since a lease outlives its connection by the grace.
void Engine::close_some(TimeMs now) {
  while (!closing_.empty() && close_looks_ < kCloseLooksPerTurn) {
    auto const [connection, number] = closing_.front();
    HostedTable& table = *tables_[number];
    Ending ending = Ending::finished;
    if (table.table != nullptr && table.can.holder != nullptr) {
      std::uint64_t const before = looks_;
      ConnectionId const gone = connection;
      ending = !table.log->serves
                   ? Ending::no_space
                   : decide_by_itself(table, now, kTimerStepsPerTurn, Durability::written, [&](Decision& decision) {
                       return table.can.holder->decide_connection_closed(gone, decision);
                     });
      close_looks_ += looks_ - before;
      mark_dirty(table);
      refresh(table);
    }
    // Without room for it, and in a log that is away, their leases end by their own dates.
    if (ending != Ending::more) closing_.pop_front();
  }
}

// ---------------------------------------------------------------------------
// Time

Engine::Ending Engine::decide_by_itself(HostedTable& table, TimeMs now, std::uint32_t steps_max, Durability durability,
                                        std::function<bool(Decision&)> const& decide) {
  HostedLog& log = *table.log;
  Collector observer{*this, table, now};
  for (std::uint32_t step = 0; step < steps_max; ++step) {
    if (!log.log->reserve(kStepBytesMax + kGroupBytes, true)) {
      note_short_disk(log, now);
      return Ending::no_space;
    }
    Group& group = group_;
    group.begin(log);
    Group::Part part{group, table, observer};
    scratch_.clear();
    Decision decision{.now = now, .start = log.log->start(), .records = part, .answer = scratch_};
    bool const more = decide(decision);
    looks_ += kLooksPerStep + decision.looks + kLooksPerRecord * group.step_size();
    if (!group.step_is_empty()) {
      group.apply_step(now);
      close_group(log, now, durability);
    }
    if (!more) return Ending::finished;
  }
  return Ending::more;
}

bool Engine::run_timers(TimeMs now) {
  FJ_CHECK(now >= now_, "time went back");
  now_ = now;
  std::uint64_t const before = looks_;
  for (std::uint32_t looked = 0; due_.first_date() <= now; ++looked) {
    if (looked == kTimedTablesPerTurn || looks_ - before >= kTimerLooksPerTurn) return true;
    HostedTable& table = *tables_[due_.first()];
    if (!table.log->serves) {
      due_.set(table.number, TimeMs::max());
      continue;
    }
    if (table.lost.any() && !tell_lost(table, now)) {
      due_.set(table.number, now + kRetryWithoutSpace);
      continue;
    }
    Collector observer{*this, table, {}};
    Timed* const timed = table.can.timed;
    bool const more = table.next_due() <= now && timed->advance(now, kAdvanceBudget, observer);
    if (more) looks_ += kAdvanceBudget;
    // Synced, as wakes and reads depend on it: a row that was reported parked or gone stays so.
    Ending ending = timed == nullptr ? Ending::finished : Ending::more;
    while (ending == Ending::more) {
      ending = decide_by_itself(table, now, kStepsTogether, Durability::synced,
                                [timed](Decision& decision) { return timed->decide_timer(decision); });
      if (looks_ - before >= kTimerLooksPerTurn) break;
    }
    if (next_deadline(table) <= now) mark_dirty(table);
    if (ending == Ending::no_space) {
      due_.set(table.number, now + kRetryWithoutSpace);
      continue;
    }
    if (more || ending == Ending::more) return true;
    TimeMs const next = table.next_due();
    FJ_CHECK(next > now, "a table stays due after its timers ran");
    // Deadlines of waiting clients are handled in end_of_turn.
    due_.set(table.number, std::min(next, std::max(next_deadline(table), now + DurationMs{1})));
  }
  return false;
}

bool Engine::end_of_turn(TimeMs now) {
  close_some(now);
  close_looks_ = 0;
  std::vector<HostedTable*> const dirty = std::move(dirty_);
  dirty_.clear();
  std::uint64_t const before = looks_;
  std::ptrdiff_t left_over = 0;
  for (HostedTable* table : dirty) {
    // Tables that were not served are first in the next turn.
    if (looks_ - before >= kServeLooksPerTurn) {
      dirty_.insert(dirty_.begin() + left_over++, table);
      continue;
    }
    table->dirty = false;
    // Dropped in this turn, or looked at when its log is back.
    if (table->table == nullptr || !table->log->serves) continue;
    if (serve(*table, now)) mark_dirty(*table);
    refresh(*table);
  }
  if (!pending_alerts_.empty()) log_alerts_alone(now);
  // Long before they are used up; without room in the log a later turn tries again.
  if (volatile_log_ != nullptr && volatile_log_->needs_numbers()) static_cast<void>(reserve_numbers(now));
  return !dirty_.empty() || !closing_.empty();
}

void Engine::mark_dirty(HostedTable& table) {
  if (table.dirty) return;
  table.dirty = true;
  dirty_.push_back(&table);
}

TimeMs Engine::next_deadline(HostedTable const& table) {
  TimeMs const next = table.subscriptions.next_deadline();
  return table.wakes == nullptr ? next : std::min(next, table.wakes->next_deadline());
}

void Engine::refresh(HostedTable& table) {
  due_.set(table.number, std::min(table.next_due(), next_deadline(table)));
  std::uint64_t const memory = table.table->memory_bytes();
  memory_bytes_ += memory - table.memory_bytes;
  table.memory_bytes = memory;
}

// Dates that came meanwhile are due now.
void Engine::set_serving(HostedLog& log, bool serves, std::string why) {
  log.serves = serves;
  log.why_not = std::move(why);
  if (!serves) return;
  for (auto const& [id, table] : log.tables) {
    if (table == nullptr || table->table == nullptr) continue;
    mark_dirty(*table);
    refresh(*table);
  }
}

// ---------------------------------------------------------------------------
// People

void Engine::metrics(HostedTable const& table, TimeMs now, MetricSink& sink) {
  table.table->metrics(now, sink);
  auto const put = [&](Metric const& metric, std::uint64_t value) {
    sink.integer(metric, static_cast<std::int64_t>(value));
  };
  put({"listeners", "LISTENs that stand"}, table.subscriptions.listeners());
  put({"waiting_commands", "commands that wait for work"}, table.subscriptions.parked());
  put({"announcements_missed", "announcements that a listener could not take", Metric::Kind::counter},
      table.subscriptions.missed());
  put({"commands", "commands that came", Metric::Kind::counter}, table.commands);
  put({"refused", "commands that were refused", Metric::Kind::counter}, table.refused);
}

}  // namespace fastjournal::core
