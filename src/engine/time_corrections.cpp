#include "engine/time_corrections.h"

#include <algorithm>
#include <utility>

namespace fastjournal::engine {
namespace {

// The record of one table in the group that accepts a clock: a date or two, and the header.
constexpr std::size_t kAcceptedBytesMax = 128;

}  // namespace

TimeMs TimeCorrections::last_now() const {
  TimeMs last{};
  for (auto const& log : tables_.logs()) last = std::max(last, log->catalogue.last_now());
  return last;
}

void TimeCorrections::lose_time(log::Catalogue::Clock::Why why, DurationMs lost, TimeMs now) {
  for (auto const& log : tables_.logs()) {
    // Without room for it, or while the log is away, only the date of the next batch shows it.
    if (!log->serves || !log->log->reserve(kGroupBytes, true)) continue;
    append_to_catalogue(*log, now, [&](Records& records) { log::Catalogue::append_clock(records, {now, why, lost}); });
    log->clock_in_batch = true;
    end_group(*log, now, Durability::written);
  }
  for (auto const& table : tables_.all()) {
    // Of a log that another node decides for, that one's clock counts.
    if (table->is_dropped() || table->can.holder == nullptr || !table->log->is_ours) continue;
    table->lost.left.value += lost.value;
    static_cast<void>(tell_lost(*table, now));
    due_tables_.refresh(*table);
  }
}

// All leases at once, however many there are: no timer may end a lease before it was extended, and spread over turns,
// commands would see leases of two times. The log writes the batch of a long turn in parts.
bool TimeCorrections::tell_lost(HostedTable& table, TimeMs now) {
  LostTime& lost = table.lost;
  HostedLog& log = *table.log;
  if (!table.serves()) return false;
  while (lost.any()) {
    if (lost.telling.value == 0) {
      lost.telling = std::exchange(lost.left, {});
      lost.carry = {};
    }
    if (!decider_.has_room_for_step(log, now)) return false;
    bool more = false;
    Decider::Step const done = decider_.decide_step(table, now, [&](Decision& decision) {
      decision.carry = lost.carry;
      more = table.can.holder->decide_time_lost(lost.telling, decision);
      lost.carry = decision.carry;
    });
    // Like a lease itself: after a power cut the lease has at least the grace.
    if (done.records > 0) alerting_.close_group(log, now, Durability::written);
    if (!more) lost.telling = {};
  }
  return true;
}

Status TimeCorrections::accept_clock(TimeMs now) {
  for (auto const& log : tables_.logs())
    if (log->catalogue.last_now() > now)
      if (Status status = accept_clock_in(*log, now); !status.ok()) return status;
  return {};
}

// The log's time and its tables' dates are one group, so that a crash cannot separate them. It has one record for each
// table and not for each row: a replay finds by `from` and `to` which dates count as now.
Status TimeCorrections::accept_clock_in(HostedLog& log, TimeMs now) {
  TimeMs const from = log.catalogue.last_now();
  if (!log.log->reserve(log.tables.size() * kAcceptedBytesMax + kStepBytesMax + kGroupBytes, true))
    return {Code::no_space, "log " + log.name + " has no room to accept the clock: free disk space"};
  for (auto const& [id, table] : log.tables) {
    if (table == nullptr || table->can.timed == nullptr) continue;
    decider_.decide_step(*table, now, [timed = table->can.timed, from](Decision& decision) {
      timed->decide_clock_accepted(from, decision);
    });
  }
  append_to_catalogue(log, now, [&](Records& records) { log::Catalogue::append_clock_accepted(records, now, from); });
  log.clock_in_batch = true;
  end_group(log, now, Durability::synced);
  return {};
}

}  // namespace fastjournal::engine
