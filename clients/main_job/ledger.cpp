#include "clients/main_job/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "clients/lib/journal.h"

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
    case EventKind::insert: return on_insert(event);
    case EventKind::leased: return on_lease(worker_of(worker), event);
    case EventKind::woken: return lateness_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, event.number)));
    case EventKind::worked:
    case EventKind::done:
    case EventKind::parked:
    case EventKind::refused: return on_end(event);
  }
}

void Ledger::on_insert(Event const& event) {
  if (first_us_ == 0) first_us_ = event.us;
  switch (static_cast<client::PutResult>(event.number)) {
    case client::PutResult::inserted: ++counts_.inserted; break;
    case client::PutResult::merged: ++counts_.merged; break;
    case client::PutResult::behind: ++counts_.behind; break;
    case client::PutResult::duplicate:
    case client::PutResult::stale: ++counts_.unchanged; return;
  }
  Key& key = keys_[key_of(event.text)];
  if (key.insert_row == 0) ++counts_.pages;
  key.insert_us = event.us;
  key.insert_row = event.row;
  settle(key);
}

void Ledger::on_lease(std::uint32_t worker, Event const& event) {
  ++counts_.leased;
  if (leases_of_row_[event.row]++ > 0) ++counts_.again;
  auto const [at, added] = lease_by_epoch_.try_emplace(event.epoch, leases_.size());
  if (!added)
    odd_.push_back(fmt::format("lease epoch {} was given twice: row {} and row {}", event.epoch,
                               leases_[at->second].row, event.row));
  leases_.push_back(
      {event.row, event.epoch, key_of(event.text), worker, event.us, event.us + event.number, Lease::End::open});
}

void Ledger::on_end(Event const& event) {
  Lease* const lease = lease_of(event.epoch);
  if (lease == nullptr || lease->row != event.row) {
    odd_.push_back(fmt::format("row {} was worked on under epoch {}, but never leased so", event.row, event.epoch));
    return;
  }
  if (event.kind == EventKind::worked) {
    lease->end = Lease::End::worked;
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
  ++(done ? counts_.done : counts_.parked);
  lease->end = done ? Lease::End::done : Lease::End::parked;
  lease->until_us = std::min(lease->until_us, event.us);
  if (++ends_of_row_[event.row] > 1)
    odd_.push_back(fmt::format("row {} was completed {} times", event.row, ends_of_row_[event.row]));
  last_us_ = std::max(last_us_, event.us);
  if (done) done_us_.push_back(event.us);

  Key& key = keys_[lease->key];
  if (lease->from_us >= key.lease_us) {
    key.lease_us = lease->from_us;
    key.lease_row = lease->row;
  }
  key.done = key.done || done;
  settle(key);
}

// Finished: a lease of the row that took the last insert, or of a later row, began after that insert was sent, and
// ended with DONE or FAIL. So the work included the producer's change.
void Ledger::settle(Key& key) {
  bool const finished = key.insert_row != 0 && key.lease_row >= key.insert_row && key.lease_us >= key.insert_us;
  if (finished != key.finished) counts_.finished += finished ? 1 : static_cast<std::uint64_t>(-1);
  key.finished = finished;
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
    } else if (keys_[lease.key].finished && keys_[lease.key].lease_row > lease.row) {
      ++verdict.folded;
    }
  }
}

Verdict Ledger::check() const {
  Verdict verdict;
  verdict.doubled = odd_;
  for (Key const& key : keys_) {
    if (key.insert_row == 0)
      verdict.doubled.push_back(fmt::format("{}: row {} was never inserted", key.uri, key.lease_row));
    if (key.insert_row != 0 && !key.finished)
      verdict.lost.push_back(fmt::format("{}: row {} was not done after its last insert", key.uri, key.insert_row));
  }
  check_leases(verdict);
  check_ends(verdict);
  return verdict;
}

}  // namespace fastjournal::main_job
