// How logs stay short (ARCHITECTURE 1, rule 6): the base follows the oldest
// object that lives, and stragglers are copied forward in small steps.
#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"
#include "core/engine.h"
#include "core/engine_group.h"

namespace fastjournal::core {
namespace {

// Copied in one turn: some 20 us of work, and bytes that share the turn's sync.
constexpr std::size_t kCopyBytesPerTurn = 64U << 10U;
// And looks at tables that may find nothing to copy in one look.
constexpr std::uint32_t kCopyStepsPerTurn = 64;

class DigestSum final : public DigestSink {
 public:
  explicit DigestSum(std::uint64_t seed) : seed_(seed) {}
  void object(std::span<std::byte const> canonical) override { sum_ += hash64(as_text(canonical), seed_); }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t seed_;
  std::uint64_t sum_{0};
};

}  // namespace

bool Engine::committed(TimeMs now) {
  bool again = false;
  for (auto const& log : logs_) {
    log->clock_in_batch = false;
    if (log->log->end_lsn() == log->base_checked_at) continue;
    // Only what is durable may let go of what it replaces: a DONE that a power
    // cut takes back must find its row.
    if (log->log->durable_lsn() != log->log->end_lsn()) continue;
    LogUsage const usage = log->log->usage();
    std::uint64_t const container = usage.containers == 0 ? 0 : usage.disk_bytes / usage.containers;
    bool const pressed = log->short_of_space || log->log->end_lsn().value - log->base_checked_at.value >= container / 8;
    if (!pressed && !log->copying) continue;
    move_base(*log);
    log->copying = copy_forward(*log, now);
    again = again || log->copying;
  }
  return again;
}

void Engine::move_base(HostedLog& log) {
  Lsn const end = log.log->end_lsn();
  log.rows_oldest = end;
  for (auto const& [id, table] : log.tables) {
    Lsn const mine = table->table->oldest_lsn();
    if (!mine.is_none()) log.rows_oldest = std::min(log.rows_oldest, mine);
  }
  Lsn const catalogue = log.catalogue.oldest_lsn();
  log.log->set_base(catalogue.is_none() ? log.rows_oldest : std::min(catalogue, log.rows_oldest));
  log.base_checked_at = end;
}

// True if it copied something and more remains to be done.
bool Engine::copy_forward(HostedLog& log, TimeMs now) {
  LogUsage const usage = log.log->usage();
  Lsn const below = usage.oldest_container_end;
  if (log.log->base_lsn() >= below) return false;
  std::uint64_t live = log.catalogue.live_bytes();
  for (auto const& [id, table] : log.tables) live += table->table->live_bytes();
  std::uint64_t const container = usage.containers == 0 ? 0 : usage.disk_bytes / usage.containers;
  // Half a container before the bound of 2 x live + 4 containers, so that it is never reached; where
  // space is short, as far as it goes.
  std::uint64_t const allowed = log.short_of_space ? live + container : 2 * live + 2 * container + container / 2;
  bool const over = usage.logical_bytes > allowed;
  // The catalogue is small: it alone keeps no container.
  bool const only_catalogue = log.rows_oldest >= below && log.catalogue.live_bytes() < container / 8;
  if (!over && !only_catalogue) return false;

  std::size_t copied = 0;
  for (Lsn oldest = log.catalogue.oldest_lsn(); !oldest.is_none() && oldest < below && copied < kCopyStepsPerTurn;
       oldest = log.catalogue.oldest_lsn(), ++copied) {
    Status const status = log_in_catalogue(log, now, kCopyBytesPerTurn * 4,
                                           [&](Records& records) { log.catalogue.restate_one(below, records); });
    if (!status.ok()) return copied > 0;
  }
  if (!over) return copied > 0;
  Lsn const from = log.log->end_lsn();
  std::uint32_t steps = 0;
  for (auto const& [id, hosted] : log.tables) {
    HostedTable& table = *hosted;
    for (;;) {
      Lsn const mine = table.table->oldest_lsn();
      if (mine.is_none() || mine >= below) break;
      std::uint64_t const done = log.log->end_lsn().value - from.value;
      if (done >= kCopyBytesPerTurn || ++steps > kCopyStepsPerTurn) break;
      std::size_t const budget = kCopyBytesPerTurn - static_cast<std::size_t>(done);
      if (!copy_some(table, below, budget, now)) break;
      ++copied;
    }
  }
  log.bytes_restated += log.log->end_lsn().value - from.value;
  return copied > 0;
}

// One step of one table. False: nothing more can be copied now.
bool Engine::copy_some(HostedTable& table, Lsn below, std::size_t budget, TimeMs now) {
  HostedLog& log = *table.log;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!log.log->reserve(budget + kStepBytesMax + kGroupBytes, true)) return false;
    Collector effects{*this, table, now};
    Group& group = *group_;
    group.begin(log, table.id);
    scratch_.clear();
    Decision decision{.now = now, .start = log.log->start(), .records = group, .answer = scratch_};
    Restated const restated = table.table->restate_oldest(below, budget, decision);
    if (!group.step_is_empty()) {
      group.apply_step(*table.table, effects);
      close_group(log, now, Promise::synced);
      return true;
    }
    if (restated.object_bytes == 0) return restated.more;
    budget = restated.object_bytes;
  }
  return false;
}

std::uint64_t Engine::digest() const {
  std::uint64_t sum = 0;
  for (auto const& log : logs_) {
    DigestSum catalogue{hash64(log->name, 0)};
    log->catalogue.digest(catalogue);
    sum += catalogue.sum();
    for (auto const& [id, table] : log->tables) {
      DigestSum rows{hash64(log->name, static_cast<std::uint32_t>(id))};
      table->table->digest(rows);
      sum += rows.sum();
    }
  }
  return sum;
}

}  // namespace fastjournal::core
