#include "engine/timers.h"

#include <algorithm>

#include "base/check.h"

namespace fastjournal::engine {
namespace {

// Some 2 ms in one turn.
constexpr std::uint64_t kTimerWorkUnitsPerTurn = 48U << 10U;
// Tables looked at in one turn, and steps of one table together.
constexpr std::uint32_t kTablesPerTurn = 256;
constexpr std::uint32_t kTimerStepsTogether = 4;
// The wait after a timer had no room in the log.
constexpr DurationMs kRetryWithoutSpace{100};

}  // namespace

bool Timers::run(TimeMs now) {
  FJ_CHECK(now >= now_, "time went back");
  now_ = now;
  std::uint64_t const work_units_max = work_units_.total() + kTimerWorkUnitsPerTurn;
  for (std::uint32_t looked = 0; due_tables_.first_date() <= now; ++looked) {
    if (looked == kTablesPerTurn || work_units_.total() >= work_units_max) return true;
    if (!run_table(tables_[due_tables_.first()], now, work_units_max)) return true;
  }
  return false;
}

bool Timers::run_table(HostedTable& table, TimeMs now, std::uint64_t work_units_max) {
  if (!table.serves()) {
    due_tables_.never(table);
    return true;
  }
  if (table.lost.any() && !corrections_.tell_lost(table, now)) {
    due_tables_.set_date(table, now + kRetryWithoutSpace);
    return true;
  }
  Timed* const timed = table.can.timed;
  bool const more = table.next_due() <= now && decider_.advance(table, now);
  // Synced, as wakes and reads depend on it: a row that was reported parked or gone stays so.
  Decider::Ending ending = timed == nullptr ? Decider::Ending::finished : Decider::Ending::more;
  while (ending == Decider::Ending::more) {
    ending = decider_.decide_alone(table, now, kTimerStepsTogether, Durability::synced,
                                   [timed](Decision& decision) { return timed->decide_timer(decision); });
    if (work_units_.total() >= work_units_max) break;
  }
  DueTables::see(table);
  if (table.next_deadline() <= now) due_tables_.mark(table);
  if (ending == Decider::Ending::no_space) {
    due_tables_.set_date(table, now + kRetryWithoutSpace);
    return true;
  }
  if (more || ending == Decider::Ending::more) return false;
  FJ_CHECK(table.due > now, "a table stays due after its timers ran");
  // Deadlines of waiting clients are handled at the end of the turn.
  due_tables_.set_date(table, std::min(table.due, std::max(table.next_deadline(), now + DurationMs{1})));
  return true;
}

}  // namespace fastjournal::engine
