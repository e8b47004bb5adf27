// Corrections of `now`: time that was lost, and a clock that was ahead and is accepted as it is.
#include <utility>

#include "core/engine.h"
#include "core/engine_group.h"

namespace fastjournal::core {
namespace {

// The record of one table in the group that accepts a clock: a date or two, and the header.
constexpr std::size_t kAcceptedBytesMax = 128;

}  // namespace

void Engine::lose_time(Catalogue::Clock::Why why, DurationMs lost, TimeMs now) {
  for (auto const& log : logs_) {
    // Without room for it, or while the log is away, only the date of the next batch shows it.
    if (!log->serves || !log->log->reserve(kGroupBytes, true)) continue;
    append_to_catalogue(*log, [&](Records& records) { Catalogue::append_clock(records, {now, why, lost}); });
    log->clock_in_batch = true;
    end_group(*log, now, Durability::written);
  }
  for (auto const& table : tables_) {
    if (table->table == nullptr || table->can.holder == nullptr) continue;
    table->lost.left.value += lost.value;
    static_cast<void>(tell_lost(*table, now));
    refresh(*table);
  }
}

// All leases at once, however many there are: no timer may end a lease before it was extended, and spread over turns,
// commands would see leases of two times. The log writes the batch of a long turn in parts.
bool Engine::tell_lost(HostedTable& table, TimeMs now) {
  auto& lost = table.lost;
  HostedLog& log = *table.log;
  if (!log.serves) return false;
  Collector observer{*this, table, now};
  while (lost.any()) {
    if (lost.telling.value == 0) {
      lost.telling = std::exchange(lost.left, {});
      lost.carry = {};
    }
    if (!log.log->reserve(kStepBytesMax + kGroupBytes, true)) {
      note_short_disk(log, now);
      return false;
    }
    Group& group = group_;
    group.begin(log);
    Group::Part part{group, table, observer};
    scratch_.clear();
    Decision decision{.now = now, .start = log.log->start(), .records = part, .answer = scratch_};
    decision.carry = lost.carry;
    bool const more = table.can.holder->decide_time_lost(lost.telling, decision);
    lost.carry = decision.carry;
    if (!group.step_is_empty()) {
      group.apply_step(now);
      // Like a lease itself: after a power cut the lease has at least the grace.
      close_group(log, now, Durability::written);
    }
    if (!more) lost.telling = {};
  }
  return true;
}

Status Engine::accept_clock(TimeMs now) {
  for (auto const& log : logs_)
    if (log->catalogue.last_now() > now)
      if (Status status = accept_clock_in(*log, now); !status.ok()) return status;
  return {};
}

// The log's time and its tables' dates are one group, so that a crash cannot separate them. It has one record for each
// table and not for each row: a replay finds by `from` and `to` which dates count as now.
Status Engine::accept_clock_in(HostedLog& log, TimeMs now) {
  TimeMs const from = log.catalogue.last_now();
  if (!log.log->reserve(log.tables.size() * kAcceptedBytesMax + kStepBytesMax + kGroupBytes, true))
    return {Code::no_space, "log " + log.name + " has no room to accept the clock: free disk space"};
  Group& group = group_;
  group.begin(log);
  for (auto const& [id, table] : log.tables) {
    if (table == nullptr || table->can.timed == nullptr) continue;
    Collector observer{*this, *table, now};
    Group::Part part{group, *table, observer};
    scratch_.clear();
    Decision decision{.now = now, .start = log.log->start(), .records = part, .answer = scratch_};
    table->can.timed->decide_clock_accepted(from, decision);
    group.apply_step(now);
  }
  Catalogue::append_clock_accepted(group.catalogue(), now, from);
  group.apply_step(now);
  log.clock_in_batch = true;
  end_group(log, now, Durability::synced);
  return {};
}

}  // namespace fastjournal::core
