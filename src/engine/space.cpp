#include "engine/space.h"

#include <algorithm>

#include "log/period.h"

namespace fastjournal::engine {
namespace {

// Copied in one turn: some 20 us of work, and bytes that share the turn's sync. A little less than 16 blocks of 4 KiB:
// a few bytes more would need another block, mostly padding.
constexpr std::size_t kCompactBytesPerTurn = (64U << 10U) - 512;
// The same while space is short: fewer batches, so that less space is lost to padding.
constexpr std::size_t kCompactBytesPerTurnShort = 16 * kCompactBytesPerTurn;
// When the last space is used, in pieces down to this size.
constexpr std::size_t kCompactBytesMin = 2U << 10U;
// The most calls in a turn of tables that may find nothing to copy in one call.
constexpr std::uint32_t kCompactStepsPerTurn = 64;
// A log that becomes empty repeatedly is reset this often; it costs two syncs and a header, and the catalogue is written
// again: for so much of that, as seldom again.
constexpr DurationMs kResetEvery{1000};
constexpr std::uint64_t kResetBytes = 64U << 10U;
constexpr DurationMs kOldFilesEvery{1000};
// A period that cannot begin yet, as something is not durable, is tried again.
constexpr DurationMs kPeriodAgain{100};

std::uint64_t segment_bytes(log::LogUsage const& usage) {
  return usage.segments == 0 ? 0 : usage.disk_bytes / usage.segments;
}

// The segment, the batch that continues after it, and the granularity of oldest_lsn.
std::uint64_t compaction_reserve(log::LogUsage const& usage) {
  return segment_bytes(usage) + segment_bytes(usage) / 8 + kOldestLsnGrain + (32U << 10U);
}

bool has_rows(HostedTable const* table) {
  return table != nullptr && !table->is_dropped() && !table->table->oldest_lsn().is_none();
}

}  // namespace

bool Space::committed(TimeMs now) {
  for (std::size_t i = logs_.size(); i < tables_.logs().size(); ++i) logs_.emplace_back(*tables_.logs()[i], decider_);
  bool again = false;
  due_ = TimeMs::max();
  for (LogSpace& log : logs_) {
    again = log.committed(now) || again;
    due_ = std::min(due_, log.next_due());
  }
  return again;
}

bool LogSpace::committed(TimeMs now) {
  reset_due_ = TimeMs::max();
  if (!log_.keeps || !log_.serves) return false;
  if (log_.has_dead && is_empty() && reset_if_empty(now)) return true;
  if (log_.log->period() != log::Period::none && begin_period(now)) return true;
  // Damaged objects are still in memory: they are written again, so that the next start finds them.
  bool const heal = log_.log->damaged_end() > log_.log->base_lsn();
  if (!heal && !compacting_ && !log_.short_of_space && log_.log->end_lsn() == base_checked_at_) return false;
  log::LogUsage const usage = log_.log->usage();
  std::uint64_t const segment = segment_bytes(usage);
  if (!log_.short_of_space && !usage.is_short) round_over_ = log_.log->end_lsn();
  bool const pressed = heal || log_.short_of_space || usage.is_short || wants_look(now) ||
                       log_.log->end_lsn().value - base_checked_at_.value >= segment / 8;
  if (!pressed && !compacting_) return false;
  move_base();
  bool const again = compact(now);
  compacting_ = again || !emptied_below_.is_none();
  return again;
}

// ---------------------------------------------------------------------------
// when-empty

bool LogSpace::is_empty() {
  if (log_.arriving != nullptr) return false;
  if (auto const last = log_.tables.find(with_rows_); last != log_.tables.end() && has_rows(last->second)) return false;
  log_.needs.look();
  HostedTable const* const first = log_.needs.first();
  if (first != nullptr) with_rows_ = first->id;
  return first == nullptr;
}

// True if it was: then the catalogue is alone in a fresh segment.
bool LogSpace::reset_if_empty(TimeMs now) {
  DurationMs const every{kResetEvery.value *
                         (1 + static_cast<std::int64_t>(log_.catalogue.live_bytes() / kResetBytes))};
  if (now < reset_at_ + every) {
    reset_due_ = reset_at_ + every;
    return false;
  }
  // Removals must be durable first: tried again after the next commit.
  if (log_.log->durable_lsn() != log_.log->end_lsn()) return false;
  reset_at_ = now;
  // The next commit reports the error.
  if (!log_.log->reset().ok()) return false;
  Lsn const begin = log_.log->end_lsn();
  while (compact_catalogue(begin, now) > 0) {
  }
  move_base();
  log_.has_dead = false;
  return true;
}

// ---------------------------------------------------------------------------
// Periods

// True if one began: what is recorded from here on is in a segment of its own. The catalogue says since when, so that a
// start goes on with it.
bool LogSpace::begin_period(TimeMs now) {
  log::Catalogue::Period const& current = log_.catalogue.period();
  period_due_ = log::end_of(log_.log->period(), now);
  TimeMs const since = log::begin_of(log_.log->period(), now);
  // A clock that is behind begins none.
  if (since <= current.since) return false;
  if (log_.log->durable_lsn() != log_.log->end_lsn()) {
    log_.log->want_sync();
    period_due_ = now + kPeriodAgain;
    return false;
  }
  // The next commit reports the error.
  if (!log_.log->begin_period().ok()) return false;
  if (!log_.log->reserve_to_compact(log::Catalogue::kPeriodBytes + log::Catalogue::kClockBytes)) {
    period_due_ = now + kPeriodAgain;
    return false;
  }
  Group group;
  group.begin(log_);
  log::Catalogue::append_period(group.catalogue(), log_.catalogue.period_object(),
                                {since, log_.log->end_lsn(), current.begins});
  group.apply_step(now);
  end_group(log_, now, Durability::synced);
  return true;
}

// Once a second the files of periods that are over are looked at: whether they have become empty.
bool LogSpace::wants_look(TimeMs now) {
  if (log_.log->base_lsn() >= log_.catalogue.period().begins) return false;
  if (now >= looked_at_ + kOldFilesEvery) {
    looked_at_ = now;
    return true;
  }
  period_due_ = std::min(period_due_, looked_at_ + kOldFilesEvery);
  return false;
}

// The oldest segment has nothing of this period or a later one.
bool LogSpace::is_from_before(log::LogUsage const& usage, Lsn period) const {
  return !usage.oldest_segment_end.is_none() && usage.oldest_segment_end <= period;
}

// ---------------------------------------------------------------------------
// Base and compaction

void LogSpace::move_base() {
  Lsn const end = log_.log->end_lsn();
  log_.needs.look();
  Lsn const oldest = log_.needs.oldest();
  rows_oldest_ = oldest.is_none() ? end : std::min(end, oldest);
  if (log_.arriving != nullptr) rows_oldest_ = std::min(rows_oldest_, log_.arriving_from);
  Lsn const catalogue = log_.catalogue.oldest_lsn();
  log_.log->set_base(catalogue.is_none() ? rows_oldest_ : std::min(catalogue, rows_oldest_),
                     catalogue.is_none() ? end : catalogue);
  base_checked_at_ = end;
}

// By segments, not by bytes: many starts may leave many that are nearly empty.
bool LogSpace::must_compact(log::LogUsage const& usage) const {
  if (log_.log->damaged_end() > log_.log->base_lsn()) return true;
  if (is_from_before(usage, log_.catalogue.period().before)) return true;
  std::uint64_t const segment = segment_bytes(usage);
  std::uint64_t const used = std::uint64_t{usage.segments - usage.segments_free} * segment;
  std::uint64_t const live = live_bytes(log_);
  // Copies into the part of the log that is to be freed would be copied again.
  bool const apart = log_.log->end_lsn().value / kOldestLsnGrain > usage.oldest_segment_end.value / kOldestLsnGrain;
  // The last period keeps files of its own, however little is left in them.
  std::uint64_t const periods = log_.log->period() == log::Period::none ? 0 : 2 * segment;
  if (apart && used + usage.segments_free_most * segment > 2 * live + 3 * segment + segment / 2 + periods) return true;
  if (!log_.short_of_space && !usage.is_short) return false;
  // For additions: once a round over all objects would free more than a segment. For removals: when their space runs
  // out, since their own records can then be dropped. Never one round after the other without a gain.
  std::uint64_t const room = usage.room_bytes - std::min(usage.room_bytes, compaction_reserve(usage));
  bool const grew = log_.log->end_lsn().value - round_over_.value >= segment / 8;
  if (!compacting_ && !grew) return false;
  if (used >= live + usage.left_bytes + segment + segment / 2) return true;
  return room < (compacting_ ? segment : segment / 2);
}

// Nothing in the oldest segment is needed any more, but it is freed by a sync, which nothing else may ask for: not
// with an interval, nor for leases. Once it is gone, the next one follows. True: a turn is wanted for that.
bool LogSpace::want_freed(log::LogUsage const& usage) {
  bool const is_asked = emptied_below_ == usage.oldest_segment_end;
  if (!is_asked) emptied_below_ = {};
  if (is_asked || usage.oldest_segment_end.is_none()) return false;
  bool const is_over = is_from_before(usage, log_.catalogue.period().begins);
  if (!log_.short_of_space && !usage.is_short && !is_over && !must_compact(usage)) return false;
  emptied_below_ = usage.oldest_segment_end;
  log_.log->want_sync();
  return true;
}

// Entries copied, in one group.
std::size_t LogSpace::compact_catalogue(Lsn below, TimeMs now) {
  Lsn const oldest = log_.catalogue.oldest_lsn();
  if (oldest.is_none() || oldest >= below) return 0;
  if (!log_.log->reserve_to_compact(log_.catalogue.live_bytes() + 1024)) return 0;
  std::size_t compacted = 0;
  Group group;
  group.begin(log_);
  while (compacted < kCompactStepsPerTurn && log_.catalogue.compact_one(below, group.catalogue())) {
    group.apply_step(now);
    ++compacted;
  }
  end_group(log_, now, Durability::synced);
  return compacted;
}

// True if it copied something and more remains to be done.
bool LogSpace::compact(TimeMs now) {
  log::LogUsage const usage = log_.log->usage();
  Lsn const below = usage.oldest_segment_end;
  if (compact_below_ != below) {
    compact_below_ = below;
    compacted_ = 0;
    log_.log->keep_for_compaction(compaction_reserve(usage));
  }
  if (log_.log->base_lsn() >= below) return want_freed(usage);
  emptied_below_ = {};
  bool const over = must_compact(usage);
  // The catalogue is small: no segment is kept for it alone.
  bool const only_catalogue = rows_oldest_ >= below && log_.catalogue.live_bytes() < segment_bytes(usage) / 8;
  if (!over && !only_catalogue) return false;
  if (!compacting_) round_end_ = log_.log->end_lsn();
  if (log_.log->base_lsn() >= round_end_) {
    round_over_ = log_.log->end_lsn();
    return false;
  }

  Lsn const from = log_.log->end_lsn();
  std::size_t compacted = compact_catalogue(below, now);
  if (over && rows_oldest_ < below) {
    bool const is_short = usage.is_short || log_.short_of_space;
    std::size_t const most =
        std::clamp<std::uint64_t>(segment_bytes(usage) / 8, kCompactBytesPerTurn, kCompactBytesPerTurnShort);
    compacted += compact_tables(below, is_short ? most : kCompactBytesPerTurn, now);
  }
  log_.bytes_compacted += log_.log->end_lsn().value - from.value;
  compacted_ += log_.log->end_lsn().value - from.value;
  log_.log->keep_for_compaction(compaction_reserve(usage) - std::min(compaction_reserve(usage), compacted_));
  return compacted > 0;
}

// Objects copied, within the turn's budget: of the table with the oldest first.
std::size_t LogSpace::compact_tables(Lsn below, std::size_t bytes_max, TimeMs now) {
  Lsn const from = log_.log->end_lsn();
  std::size_t const steps_max = kCompactStepsPerTurn * (bytes_max / kCompactBytesPerTurn);
  std::size_t compacted = 0;
  NeedPlace passed{};  // of these nothing can be copied now
  for (std::size_t steps = 0; steps < steps_max; ++steps) {
    HostedTable* const table = log_.needs.after(passed);
    std::uint64_t const done = log_.log->end_lsn().value - from.value;
    if (table == nullptr || table->need.oldest >= below || done >= bytes_max) break;
    std::size_t const budget = std::min(bytes_max - static_cast<std::size_t>(done), kCompactBytesPerTurn);
    if (compact_some(*table, below, budget, done == 0, now)) {
      ++compacted;
      log_.needs.look_at(*table);
    } else {
      passed = {table->need.oldest, table};
    }
  }
  return compacted;
}

// One step of one table; `may_exceed`: a single object may be larger than the budget. False: nothing more can be
// copied now.
bool LogSpace::compact_some(HostedTable& table, Lsn below, std::size_t budget, bool may_exceed, TimeMs now) {
  bool exact = false;
  for (;;) {
    while (!log_.log->reserve_to_compact(budget + log::Catalogue::kClockBytes)) {
      if (exact || budget < kCompactBytesMin) return false;
      budget /= 2;
    }
    Compacted result;
    Decider::Step const done = decider_.decide_step(
        table, now, [&](Decision& decision) { result = table.table->compact_oldest(below, budget, decision); });
    if (done.records > 0) {
      end_group(log_, now, Durability::synced);
      return true;
    }
    if (result.object_bytes == 0) return result.more;
    if (exact || !may_exceed) return false;
    budget = result.object_bytes;
    exact = true;
  }
}

}  // namespace fastjournal::engine
