// How logs stay short: the base follows the oldest live object, and old objects are copied forward in small steps. A
// start copies until the bound is kept before it serves, so that a daemon that dies at each start does not need more
// room each time. Where space is short, removals leave the room that copying needs; copying, which gives back more than
// it takes, may use all of it.
#include <algorithm>

#include <fmt/format.h>

#include "base/hash.h"
#include "core/digest.h"
#include "core/engine.h"
#include "core/engine_group.h"

namespace fastjournal::core {
namespace {

// Copied in one turn: some 20 us of work, and bytes that share the turn's sync. A little less than 16 blocks of 4 KiB:
// a few bytes more would need another block, mostly padding.
constexpr std::size_t kCopyBytesPerTurn = (64U << 10U) - 512;
// The same while space is short: fewer batches, so that less space is lost to padding.
constexpr std::size_t kCopyBytesPerTurnShort = 16 * kCopyBytesPerTurn;
// When the last space is used, in pieces down to this size.
constexpr std::size_t kCopyBytesMin = 2U << 10U;
// The most calls in a turn of tables that may find nothing to copy in one call.
constexpr std::uint32_t kCopyStepsPerTurn = 64;
// A log that becomes empty repeatedly is reset this often; it costs two syncs and a header.
constexpr DurationMs kResetEvery{1000};

std::uint64_t container_bytes(LogUsage const& usage) {
  return usage.containers == 0 ? 0 : usage.disk_bytes / usage.containers;
}

}  // namespace

std::string digest_text(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

bool Engine::committed(TimeMs now) {
  free_dropped();
  bool again = false;
  reset_due_ = TimeMs::max();
  for (auto const& log : logs_) {
    log->clock_in_batch = false;
    if (!log->keeps || !log->serves) continue;
    if (log->has_dead && is_empty(*log) && reset_if_empty(*log, now)) {
      again = true;
      continue;
    }
    // Damaged objects are still in memory: they are written again, so that the next start finds them.
    bool const heal = log->log->damaged_end() > log->log->base_lsn();
    if (!heal && log->log->end_lsn() == log->base_checked_at) continue;
    LogUsage const usage = log->log->usage();
    std::uint64_t const container = container_bytes(usage);
    if (!log->short_of_space && !usage.is_short) log->round_over = log->log->end_lsn();
    bool const pressed = heal || log->short_of_space || usage.is_short ||
                         log->log->end_lsn().value - log->base_checked_at.value >= container / 8;
    if (!pressed && !log->copying) continue;
    move_base(*log);
    log->copying = copy_forward(*log, now);
    again = again || log->copying;
  }
  return again;
}

// ---------------------------------------------------------------------------
// when-empty

bool Engine::is_empty(HostedLog& log) const {
  auto const has_rows = [](HostedTable const* table) {
    return table != nullptr && table->table != nullptr && !table->table->oldest_lsn().is_none();
  };
  if (has_rows(log.with_rows)) return false;
  log.with_rows = nullptr;
  for (auto const& [id, table] : log.tables)
    if (has_rows(table)) log.with_rows = table;
  return log.with_rows == nullptr;
}

// True if it was: then the catalogue is alone in a fresh container.
bool Engine::reset_if_empty(HostedLog& log, TimeMs now) {
  if (now < log.reset_at + kResetEvery) {
    reset_due_ = std::min(reset_due_, log.reset_at + kResetEvery);
    return false;
  }
  // Removals must be durable first: tried again after the next commit.
  if (log.log->durable_lsn() != log.log->end_lsn()) return false;
  log.reset_at = now;
  // The next commit reports the error.
  if (!log.log->reset().ok()) return false;
  Lsn const begin = log.log->end_lsn();
  while (copy_catalogue(log, begin, now)) {
  }
  move_base(log);
  log.has_dead = false;
  return true;
}

// ---------------------------------------------------------------------------
// Base and copying forward

void Engine::move_base(HostedLog& log) {
  Lsn const end = log.log->end_lsn();
  log.rows_oldest = end;
  for (auto const& [id, table] : log.tables) {
    Lsn const mine = table->table->oldest_lsn();
    if (!mine.is_none()) log.rows_oldest = std::min(log.rows_oldest, mine);
  }
  Lsn const catalogue = log.catalogue.oldest_lsn();
  log.log->set_base(catalogue.is_none() ? log.rows_oldest : std::min(catalogue, log.rows_oldest),
                    catalogue.is_none() ? end : catalogue);
  log.base_checked_at = end;
}

// By containers, not by bytes: many starts may leave many that are nearly empty.
bool Engine::must_copy(HostedLog const& log, LogUsage const& usage) const {
  if (log.log->damaged_end() > log.log->base_lsn()) return true;
  std::uint64_t const container = container_bytes(usage);
  std::uint64_t const used = std::uint64_t{usage.containers - usage.containers_free} * container;
  std::uint64_t const live = live_bytes(log);
  // Copies into the part of the log that is to be freed would be copied again.
  bool const apart = log.log->end_lsn().value / kOldestLsnGrain > usage.oldest_container_end.value / kOldestLsnGrain;
  if (apart && used + usage.containers_free_most * container > 2 * live + 3 * container + container / 2) return true;
  if (!log.short_of_space && !usage.is_short) return false;
  // For additions: once a round over all objects would free more than a container. For removals: when their space runs
  // out, since their own records can then be dropped. Never one round after the other without a gain.
  std::uint64_t const room = usage.room_bytes - std::min(usage.room_bytes, copy_reserve(usage));
  bool const grew = log.log->end_lsn().value - log.round_over.value >= container / 8;
  if (!log.copying && !grew) return false;
  if (used >= live + usage.left_bytes + container + container / 2) return true;
  return room < (log.copying ? container : container / 2);
}

// The container, the batch that continues after it, and the granularity of oldest_lsn.
std::uint64_t Engine::copy_reserve(LogUsage const& usage) const {
  return container_bytes(usage) + container_bytes(usage) / 8 + kOldestLsnGrain + (32U << 10U);
}

bool Engine::copy_catalogue(HostedLog& log, Lsn below, TimeMs now) {
  Lsn const oldest = log.catalogue.oldest_lsn();
  if (oldest.is_none() || oldest >= below) return false;
  if (!log.log->reserve_to_copy(log.catalogue.live_bytes() + 1024)) return false;
  append_to_catalogue(log, [&](Records& records) { log.catalogue.restate_one(below, records); });
  end_group(log, now, Durability::synced);
  return true;
}

// True if it copied something and more remains to be done.
bool Engine::copy_forward(HostedLog& log, TimeMs now) {
  LogUsage const usage = log.log->usage();
  Lsn const below = usage.oldest_container_end;
  if (log.copy_below != below) {
    log.copy_below = below;
    log.copied = 0;
    log.log->keep_for_copy(copy_reserve(usage));
  }
  if (log.log->base_lsn() >= below) return false;
  bool const over = must_copy(log, usage);
  // The catalogue is small: no container is kept for it alone.
  bool const only_catalogue = log.rows_oldest >= below && log.catalogue.live_bytes() < container_bytes(usage) / 8;
  if (!over && !only_catalogue) return false;
  if (!log.copying) log.round_end = log.log->end_lsn();
  if (log.log->base_lsn() >= log.round_end) {
    log.round_over = log.log->end_lsn();
    return false;
  }

  Lsn const from = log.log->end_lsn();
  std::size_t copied = 0;
  while (copied < kCopyStepsPerTurn && copy_catalogue(log, below, now)) ++copied;
  if (over && log.rows_oldest < below) {
    bool const is_short = usage.is_short || log.short_of_space;
    std::size_t const most =
        std::clamp<std::uint64_t>(container_bytes(usage) / 8, kCopyBytesPerTurn, kCopyBytesPerTurnShort);
    copied += copy_tables(log, below, is_short ? most : kCopyBytesPerTurn, now);
  }
  log.bytes_restated += log.log->end_lsn().value - from.value;
  log.copied += log.log->end_lsn().value - from.value;
  log.log->keep_for_copy(copy_reserve(usage) - std::min(copy_reserve(usage), log.copied));
  return copied > 0;
}

// Objects copied, within the turn's budget.
std::size_t Engine::copy_tables(HostedLog& log, Lsn below, std::size_t bytes_max, TimeMs now) {
  Lsn const from = log.log->end_lsn();
  std::size_t const steps_max = kCopyStepsPerTurn * (bytes_max / kCopyBytesPerTurn);
  std::size_t copied = 0;
  std::size_t steps = 0;
  for (auto const& [id, hosted] : log.tables) {
    HostedTable& table = *hosted;
    for (;;) {
      Lsn const mine = table.table->oldest_lsn();
      if (mine.is_none() || mine >= below) break;
      std::uint64_t const done = log.log->end_lsn().value - from.value;
      if (done >= bytes_max || ++steps > steps_max) break;
      std::size_t const budget = std::min(bytes_max - static_cast<std::size_t>(done), kCopyBytesPerTurn);
      if (!copy_some(table, below, budget, done == 0, now)) break;
      ++copied;
    }
  }
  return copied;
}

// One step of one table; `may_exceed`: a single object may be larger than the budget. False: nothing more can be
// copied now.
bool Engine::copy_some(HostedTable& table, Lsn below, std::size_t budget, bool may_exceed, TimeMs now) {
  HostedLog& log = *table.log;
  bool exact = false;
  for (;;) {
    while (!log.log->reserve_to_copy(budget + Catalogue::kClockBytes)) {
      if (exact || budget < kCopyBytesMin) return false;
      budget /= 2;
    }
    Collector observer{*this, table, now};
    Group& group = group_;
    group.begin(log);
    Group::Part part{group, table, observer};
    scratch_.clear();
    Decision decision{.now = now, .start = log.log->start(), .records = part, .answer = scratch_};
    Restated const restated = table.table->restate_oldest(below, budget, decision);
    if (!group.step_is_empty()) {
      group.apply_step(now);
      end_group(log, now, Durability::synced);
      return true;
    }
    if (restated.object_bytes == 0) return restated.more;
    if (exact || !may_exceed) return false;
    budget = restated.object_bytes;
    exact = true;
  }
}

std::uint64_t Engine::digest(HostedLog const& log) {
  DigestSum catalogue{0};
  log.catalogue.digest(catalogue);
  std::uint64_t sum = catalogue.sum();
  for (auto const& [id, table] : log.tables) {
    if (table != nullptr) sum += digest_of(*table->table, table->name);
  }
  return sum;
}

std::uint64_t Engine::digest() const {
  std::uint64_t sum = 0;
  for (auto const& log : logs_)
    if (log->keeps) sum += hash64(log->name, digest(*log));
  return sum;
}

}  // namespace fastjournal::core
