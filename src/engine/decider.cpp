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

bool Decider::advance(HostedTable& table, TimeMs now) {
  Effects effects{table, parts_.agenda, parts_.alerting, {}};
  bool const more = table.can.timed->advance(now, kAdvanceBudget, effects);
  if (more) parts_.looks.add(kAdvanceBudget);
  return more;
}

work::Outcome Decider::run(HostedTable& table, Command const& command, TimeMs now, bool over, Answer& answer,
                           Status& status) {
  CommandType const& type = table.type->commands()[command.index];
  HostedLog& log = *table.log;
  bool const is_due = table.due <= now && table.next_due() <= now;
  if (is_due) {
    Effects falls_due{table, parts_.agenda, parts_.alerting, {}};
    static_cast<void>(table.can.timed->advance(now, kAdvanceBudget, falls_due));
  }
  bool const adds = type.kind == CommandKind::add;
  if (adds && parts_.memory.refuses_additions()) {
    status = parts_.shortages.refuse_memory(now);
    return {};
  }
  bool const touches = type.kind == CommandKind::touch;
  bool const logs = type.kind != CommandKind::read;
  std::size_t const room = logs ? 2 * bytes_of(*command.message) + kStepBytesMax + kGroupBytes : 0;
  Effects effects{table, parts_.agenda, parts_.alerting, now};
  Group& group = group_;
  group.begin(log);
  Group::Part part{group, table, effects};
  Decision decision{.now = now, .start = log.log->start(), .waited = over, .records = part, .answer = answer};
  Durability durability = Durability::written;
  Verdict verdict = Verdict::done;
  do {
    bool const room_left = !logs || log.log->reserve(room, !adds && !touches);
    if (adds) log.short_of_space = !room_left;
    decision.short_of_space = touches && !room_left;
    if (!room_left && !touches) {
      status = parts_.shortages.refuse_disk(log, now);
      verdict = Verdict::done;
      break;
    }
    verdict = table.table->decide(command, decision);
    parts_.looks.add(work::Looks::kPerStep + std::exchange(decision.looks, 0U) +
                     work::Looks::kPerRecord * group.step_size());
    if (!decision.status.ok()) {
      FJ_CHECK(group.step_is_empty(), "a refused step appended records");
      status = std::move(decision.status);
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

  if (!group.is_empty()) parts_.alerting.close_group(log, now, durability);
  if (answer.has_stored()) answer.name_owner(table.outside);
  // DONE with next=1 leases rows too.
  if (type.kind == CommandKind::change || decision.take == Take::found)
    parts_.holdings.remember(command.connection, table);
  // Without a record its dates and its memory are unchanged.
  if (is_due || !group.is_empty()) parts_.agenda.refresh(table);
  return {verdict, decision.wait_until, decision.wait_topic, decision.take, std::move(decision.watch)};
}

}  // namespace fastjournal::engine
