#include "clients/demo/main_job/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fastjournal::main_job {

std::uint32_t Ledger::key_of(std::string_view uri) {
  auto const [at, added] = key_by_uri_.try_emplace(std::string{uri}, static_cast<std::uint32_t>(keys_.size()));
  if (added) {
    keys_.emplace_back();
    keys_.back().uri = uri;
  }
  return at->second;
}

std::uint32_t Ledger::worker_of(std::string_view name) {
  auto const at = std::find(workers_.begin(), workers_.end(), name);
  if (at != workers_.end()) return static_cast<std::uint32_t>(at - workers_.begin());
  workers_.emplace_back(name);
  return static_cast<std::uint32_t>(workers_.size() - 1);
}

Ledger::Lease* Ledger::lease_of(std::uint64_t epoch) {
  auto const at = lease_by_epoch_.find(epoch);
  return at == lease_by_epoch_.end() ? nullptr : &leases_[at->second];
}

void Ledger::add(std::string_view worker, Event const& event) {
  switch (event.kind) {
    case EventKind::saved: return on_save(event);
    case EventKind::leased: return on_lease(worker_of(worker), event);
    case EventKind::woken: return lateness_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, event.number)));
    case EventKind::worked:
    case EventKind::done:
    case EventKind::parked:
    case EventKind::refused: return on_end(event);
  }
}

void Ledger::on_save(Event const& event) {
  if (first_us_ == 0) first_us_ = event.us;
  ++counts_.saved;
  saves_.push_back({event.us, static_cast<std::uint64_t>(std::max<std::int64_t>(0, event.number))});
  Key& key = keys_[key_of(event.text)];
  if (key.saves++ == 0) ++counts_.pages;
  settle(key);
}

void Ledger::on_lease(std::uint32_t worker, Event const& event) {
  ++counts_.leased;
  if (leases_of_row_[event.row]++ > 0) ++counts_.again;
  auto const [at, added] = lease_by_epoch_.try_emplace(event.epoch, leases_.size());
  if (!added)
    odd_.push_back(fmt::format("lease epoch {} was given twice: row {} and row {}", event.epoch,
                               leases_[at->second].row, event.row));
  std::uint32_t const key = key_of(event.text);
  keys_[key].row = event.row;
  leases_.push_back({.row = event.row,
                     .epoch = event.epoch,
                     .key = key,
                     .worker = worker,
                     .from_us = event.us,
                     .until_us = event.us + event.number,
                     .changes = event.count});
  cut_by_daemon(leases_.back());
}

void Ledger::on_end(Event const& event) {
  Lease* const lease = lease_of(event.epoch);
  if (lease == nullptr || lease->row != event.row) {
    odd_.push_back(fmt::format("row {} was worked on under epoch {}, but never leased so", event.row, event.epoch));
    return;
  }
  if (event.kind == EventKind::worked) {
    lease->end = Lease::End::worked;
    lease->worked_us = event.us;
    lease->until_us = std::min(lease->until_us, event.us);
    counts_.bytes += static_cast<std::uint64_t>(event.number);
    return;
  }
  if (event.kind == EventKind::refused) {
    ++counts_.refused;
    lease->end = Lease::End::refused;
    return;
  }
  bool const done = event.kind == EventKind::done;
  bool const is_sure = event.count == 0;
  ++(done ? counts_.done : counts_.parked);
  lease->end = done ? Lease::End::done : Lease::End::parked;
  // What was accepted was leased when DONE was sent, even if the end of the daemon cut the lease.
  lease->until_us = is_sure && lease->worked_us != 0 ? lease->worked_us : std::min(lease->until_us, event.us);
  if (is_sure && ++ends_of_row_[event.row] > 1)
    odd_.push_back(fmt::format("row {} was completed {} times", event.row, ends_of_row_[event.row]));
  last_us_ = std::max(last_us_, event.us);
  if (done) done_us_.push_back(event.us);

  Key& key = keys_[lease->key];
  (is_sure ? key.changes : key.changes_unsure) += lease->changes;
  key.row_ended = std::max(key.row_ended, lease->row);
  key.done = key.done || done;
  settle(key);
}

void Ledger::settle(Key& key) {
  bool const finished = key.saves != 0 && (key.changes == key.saves || key.changes + key.changes_unsure == key.saves);
  if (finished != key.finished) counts_.finished += finished ? 1 : static_cast<std::uint64_t>(-1);
  key.finished = finished;
}

// Leases of the killed daemon, also if their answer was read later.
void Ledger::cut_by_daemon(Lease& lease) const {
  bool const is_of_killed = daemon_started_us_ == 0 || lease.from_us < daemon_started_us_;
  if (daemon_killed_us_ != 0 && is_of_killed)
    lease.until_us = std::min(lease.until_us, std::max(lease.from_us, daemon_killed_us_));
}

void Ledger::daemon_killed(std::int64_t us) {
  daemon_killed_us_ = us;
  for (Lease& lease : leases_) cut_by_daemon(lease);
}

void Ledger::ended(std::string_view worker, std::int64_t us) {
  std::uint32_t const number = worker_of(worker);
  for (Lease& lease : leases_)
    if (lease.worker == number) lease.until_us = std::min(lease.until_us, us);
}

Ledger::InHand Ledger::in_hand(std::string_view worker) const {
  InHand held;
  auto const number =
      static_cast<std::uint32_t>(std::find(workers_.begin(), workers_.end(), worker) - workers_.begin());
  for (Lease const& lease : leases_) {
    if (lease.worker != number) continue;
    if (lease.end == Lease::End::open) held.rows.push_back(lease.row);
    if (lease.end == Lease::End::worked) held.between = true;
  }
  return held;
}

Ledger::Saves Ledger::saves(std::int64_t from_us, std::int64_t until_us) const {
  Histogram durations;
  for (Save const& save : saves_)
    if (save.us >= from_us && save.us < until_us) durations.add(save.duration_us);
  return {.count = durations.count(), .p99_us = durations.percentile(99), .slowest_us = durations.max()};
}

std::uint64_t Ledger::best_second() const {
  std::vector<std::int64_t> dates = done_us_;
  std::sort(dates.begin(), dates.end());
  std::size_t best = 0;
  for (std::size_t first = 0, end = 0; first < dates.size(); ++first) {
    while (end < dates.size() && dates[end] < dates[first] + 1'000'000) ++end;
    best = std::max(best, end - first);
  }
  return best;
}

std::vector<std::string> Ledger::keys_done() const {
  std::vector<std::string> uris;
  for (Key const& key : keys_)
    if (key.done) uris.push_back(key.uri);
  std::sort(uris.begin(), uris.end());
  return uris;
}

// Leases of one key must not overlap: neither two of one row, nor those of a row and its twin.
void Ledger::check_leases(Verdict& verdict) const {
  std::vector<Lease const*> order;
  order.reserve(leases_.size());
  for (Lease const& lease : leases_) order.push_back(&lease);
  std::sort(order.begin(), order.end(), [](Lease const* a, Lease const* b) {
    return std::tie(a->key, a->from_us, a->epoch) < std::tie(b->key, b->from_us, b->epoch);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    Lease const& before = *order[i - 1];
    Lease const& after = *order[i];
    if (before.key != after.key) continue;
    if (after.from_us < before.until_us)
      verdict.doubled.push_back(fmt::format("{}: row {} (epoch {}, {}) and row {} (epoch {}, {}) were leased at once",
                                            keys_[after.key].uri, before.row, before.epoch, workers_[before.worker],
                                            after.row, after.epoch, workers_[after.worker]));
    if (before.row == after.row && after.epoch <= before.epoch)
      verdict.doubled.push_back(
          fmt::format("row {}: epoch {} came after epoch {}", after.row, after.epoch, before.epoch));
  }
}

void Ledger::check_ends(Verdict& verdict) const {
  for (Lease const& lease : leases_) {
    if (lease.end == Lease::End::done || lease.end == Lease::End::parked) continue;
    ++verdict.timed_out;
    if (leases_of_row_.at(lease.row) > 1) {
      ++verdict.came_back;
    } else if (keys_[lease.key].finished && keys_[lease.key].row_ended > lease.row) {
      ++verdict.folded;
    }
  }
}

void Ledger::check_changes(Verdict& verdict) const {
  for (Key const& key : keys_) {
    if (key.finished) continue;
    if (key.saves == 0)
      verdict.doubled.push_back(fmt::format("{}: row {} is of a page that was never saved", key.uri, key.row));
    else if (key.changes > key.saves)
      verdict.doubled.push_back(fmt::format("{}: {} changes were saved, but its rows that are done have {}", key.uri,
                                            key.saves, key.changes));
    else
      verdict.lost.push_back(fmt::format(
          "{}: {} changes were saved, but its rows that are done have {}{}", key.uri, key.saves, key.changes,
          key.changes_unsure == 0 ? std::string{} : fmt::format(", and {} that may count twice", key.changes_unsure)));
  }
}

Verdict Ledger::check() const {
  Verdict verdict;
  verdict.doubled = odd_;
  check_changes(verdict);
  check_leases(verdict);
  check_ends(verdict);
  return verdict;
}

}  // namespace fastjournal::main_job
