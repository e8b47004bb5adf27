#include "engine/decider.h"

#include <utility>

#include "base/check.h"

namespace fastjournal::engine {
namespace {

// Rows that one call may enter into the order, at some 100 ns each.
constexpr std::size_t kAdvanceBudget = 4096;

std::size_t bytes_of(Message const& message) {
  std::size_t bytes = 64;
  for (Param const& param : message.params()) bytes += param.value.bytes.size() + 16;
  return bytes;
}

}  // namespace

std::size_t room_of_step(Message const& message) { return 2 * bytes_of(message) + kStepBytesMax; }

bool Decider::advance(HostedTable& table, TimeMs now) {
  Effects effects{table, parts_.due_tables, parts_.alerting, {}};
  bool const more = table.can.timed->advance(now, kAdvanceBudget, effects);
  if (more) parts_.work_units.add(kAdvanceBudget);
  return more;
}

bool Decider::advance_if_due(HostedTable& table, TimeMs now) {
  if (table.due > now || table.next_due() > now) return false;
  Effects falls_due{table, parts_.due_tables, parts_.alerting, {}};
  static_cast<void>(table.can.timed->advance(now, kAdvanceBudget, falls_due));
  return true;
}

Status Decider::promise(HostedTable& table, Command const& command, TransactionId id, TimeMs now, Hold& hold) {
  bool const is_due = advance_if_due(table, now);
  Effects effects{table, parts_.due_tables, parts_.alerting, now};
  group_.begin(*table.log);
  Group::Part part{group_, table, effects};
  scratch_.clear();
  Decision decision{.now = now,
                    .phase = Phase::promise,
                    .transaction = id,
                    .start = table.log->log->start(),
                    .short_of_memory = parts_.memory.refuses_additions(),
                    .records = part,
                    .answer = scratch_,
                    .hold = &hold};
  static_cast<void>(table.table->decide(command, decision));
  FJ_CHECK(group_.step_is_empty(), "a promise appended records");
  parts_.work_units.add(work::WorkUnits::kPerStep + decision.work_units);
  if (is_due) parts_.due_tables.refresh(table);
  return std::move(decision.status);
}

void Decider::keep(HostedLog& log, TransactionId id, std::span<Promised const> all, TimeMs now, Answer& answer,
                   std::function<void(Records&)> const& also) {
  group_.begin(log);
  for (Promised const& one : all) {
    HostedTable& table = *one.table;
    advance_if_due(table, now);
    Effects effects{table, parts_.due_tables, parts_.alerting, now};
    Group::Part part{group_, table, effects};
    Decision decision{.now = now,
                      .phase = Phase::keep,
                      .transaction = id,
                      .promised_for = now - one.asked,
                      .start = log.log->start(),
                      .short_of_memory = parts_.memory.refuses_additions(),
                      .records = part,
                      .answer = answer};
    std::size_t const messages = answer.heads().size();
    Verdict verdict = Verdict::done;
    do {
      verdict = table.table->decide(one.command, decision);
      FJ_CHECK(decision.status.ok() && verdict != Verdict::wait && verdict != Verdict::fetch,
               "a command that was promised was refused");
      parts_.work_units.add(work::WorkUnits::kPerStep + std::exchange(decision.work_units, 0U) +
                            work::WorkUnits::kPerRecord * group_.step_size());
      if (!group_.step_is_empty()) group_.apply_step(now);
      ++decision.step;
    } while (verdict == Verdict::again);
    FJ_CHECK(answer.heads().size() == messages + 1, "a command that is kept is answered with one message");
    answer.add("op", std::uint64_t{one.number});
  }
  if (also) {
    also(group_.catalogue());
    group_.apply_step(now);
  }
  if (!group_.is_empty()) parts_.alerting.close_group(log, now, Durability::synced);
}

work::Decided Decider::run(HostedTable& table, Command const& command, TimeMs now, bool over, Answer& answer,
                           work::Fetching* fetching, std::array<std::uint64_t, 4> const& carry) {
  CommandType const& type = table.type->commands()[command.index];
  HostedLog& log = *table.log;
  bool const is_due = advance_if_due(table, now);
  bool const adds = type.kind == CommandKind::add;
  bool const short_of_memory = parts_.memory.refuses_additions();
  if (adds && short_of_memory) return {.status = parts_.shortages.refuse_memory(now)};
  bool const touches = type.kind == CommandKind::touch;
  bool const logs = type.kind != CommandKind::read;
  std::size_t const room = logs ? room_of_step(*command.message) + kGroupBytes : 0;
  Effects effects{table, parts_.due_tables, parts_.alerting, now};
  Group& group = group_;
  group.begin(log);
  Group::Part part{group, table, effects};
  Decision decision{.now = now,
                    .start = log.log->start(),
                    .waited = over,
                    .short_of_memory = short_of_memory,
                    .records = part,
                    .answer = answer};
  decision.carry = carry;
  if (fetching != nullptr) {
    decision.step = fetching->step;
    decision.carry = fetching->carry;
    fetching->wanted = {};
  }
  Durability durability = Durability::written;
  Verdict verdict = Verdict::done;
  do {
    bool const room_left = !logs || log.log->reserve(room, !adds && !touches);
    if (adds) log.short_of_space = !room_left;
    decision.short_of_space = touches && !room_left;
    if (!room_left && !touches) {
      decision.status = parts_.shortages.refuse_disk(log, now);
      verdict = Verdict::done;
      break;
    }
    verdict = table.table->decide(command, decision);
    parts_.work_units.add(work::WorkUnits::kPerStep + std::exchange(decision.work_units, 0U) +
                          work::WorkUnits::kPerRecord * group.step_size());
    if (!decision.status.ok()) {
      FJ_CHECK(group.step_is_empty(), "a refused step appended records");
      verdict = Verdict::done;
      break;
    }
    if (!group.step_is_empty()) {
      FJ_CHECK(logs && !decision.short_of_space, "a command that is declared to read appended records");
      if (decision.durability == Durability::synced) durability = Durability::synced;
      group.apply_step(now);
    }
    ++decision.step;
  } while (verdict == Verdict::again);

  if (verdict == Verdict::fetch) {
    answer.clear();
    if (fetching != nullptr)
      *fetching = {decision.wanted, decision.step, decision.carry};
    else
      decision.status = {Code::not_supported, type.name +
                                                  ": what it is about is stored outside the log, and reading that "
                                                  "needs a connection to the daemon of its own"};
  }
  if (!group.is_empty()) parts_.alerting.close_group(log, now, durability);
  if (answer.has_stored()) answer.name_owner(table.outside);
  // DONE with next=1 leases rows too.
  if (type.kind == CommandKind::change || decision.take == Take::found)
    parts_.leases_by_connection.remember(command.connection, table);
  // Without a record its dates and its memory are unchanged.
  if (is_due || !group.is_empty()) parts_.due_tables.refresh(table);
  return {.status = std::move(decision.status),
          .verdict = verdict,
          .wait_until = decision.wait_until,
          .wait_topic = decision.wait_topic,
          .waits_for_several = decision.waits_for_several,
          .carry = decision.carry,
          .take = decision.take,
          .watch = std::move(decision.watch)};
}

}  // namespace fastjournal::engine
