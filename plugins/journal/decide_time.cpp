// Decisions without a command: ends of leases, expiry of rows and clients, lost connections, leases of a former start,
// copying forward.
#include <algorithm>

#include "plugins/journal/journal.h"
#include "timer/wheel.h"

namespace fastjournal::journal {
namespace {

// The rows of one step of the timers: an expired twin and a park with its error take up to 60 + 1100 bytes.
constexpr std::uint32_t kLeasesPerStep = 12;
constexpr std::uint32_t kExpiredPerStep = 200;
constexpr std::uint32_t kClientsPerStep = 50;
// The leases that lose their connection in one step: 25 bytes and the worker's name each.
constexpr std::uint32_t kHoldsPerStep = 40;
// The headers that one search for rows to copy forward reads: some 100 us.
constexpr std::uint32_t kRestateLooksMax = 20'000;
constexpr std::uint32_t kRestateClientLooksMax = 1000;

}  // namespace

// ---------------------------------------------------------------------------
// Timers

std::int64_t Journal::parked_until() const {
  if (options_.keep_parked == 0 || state_.parked().empty()) return INT64_MAX;
  return state_.parked().begin()->first + options_.keep_parked;
}

std::int64_t Journal::client_until() const {
  auto const& clients = state_.clients().by_use();
  return clients.empty() ? INT64_MAX : clients.begin()->first + options_.client_keep;
}

TimeMs Journal::next_due() const {
  std::int64_t due = std::min({state_.next_due().value, parked_until(), client_until()});
  if (!state_.leases().ends().empty()) due = std::min(due, state_.leases().ends().begin()->first);
  if (!state_.expiries().empty()) due = std::min(due, state_.expiries().begin()->first);
  return TimeMs{due};
}

bool Journal::advance(TimeMs now, std::size_t budget, TableObserver& observer) {
  return state_.advance(now.value, budget, observer);
}

// Rows and clients that have expired. True if it found any: leases wait for the next step, so that no step has two
// records about one row.
bool Journal::expire_some(Decision& decision) const {
  std::int64_t const now = decision.now.value;
  std::uint32_t steps = 0;
  for (auto const& [date, row] : state_.expiries()) {
    if (date > now || steps == kExpiredPerStep) break;
    append_remove(decision.records, state_.row(row).id(), Reason::expired);
    ++steps;
  }
  if (steps > 0) return true;
  if (parked_until() <= now) {
    for (auto const& [date, row] : state_.parked()) {
      if (date + options_.keep_parked > now || steps == kExpiredPerStep) break;
      append_remove(decision.records, state_.row(row).id(), Reason::expired);
      ++steps;
    }
    return true;
  }
  for (auto const& [used, number] : state_.clients().by_use()) {
    if (used + options_.client_keep > now || steps == kClientsPerStep) break;
    append_client_dropped(decision.records, state_.clients().at(number)->name);
    ++steps;
  }
  return steps > 0;
}

bool Journal::decide_timer(Decision& decision) const {
  if (pause_after_failures(decision) || expire_some(decision)) return true;
  std::uint32_t steps = 0;
  for (auto const& [date, lease] : state_.leases().ends()) {
    if (date > decision.now.value) break;
    if (steps == kLeasesPerStep) return true;
    std::uint32_t const row = state_.leases()[lease].row;
    // The second row of a key must see the result of the first: it becomes its twin.
    bool const alone = state_.key_rows_of(row).processing_count > 1;
    if (alone && steps > 0) return true;
    time_out(row, decision);
    if (alone) return true;
    ++steps;
  }
  // After these are applied the table may have to pause itself.
  return steps > 0 && options_.pause_after_failures != 0;
}

// ---------------------------------------------------------------------------
// Leases without a connection

// False: it is unchanged.
bool Journal::renew_without_connection(std::uint32_t number, Decision& decision) const {
  Lease const& lease = state_.leases()[number];
  bool const former = lease.start < decision.start;
  if (!former && lease.connection == 0) return false;
  Leases::Terms terms = state_.terms_of(lease.row);
  std::int64_t const grace = std::min(decision.now.value + options_.grace, timer::kDateMax);
  // Leases of this start: the worker is gone, and they end with the grace. Of a former one: the daemon was down, and
  // workers get at least the grace to connect again.
  terms.ends = former ? std::max(lease.ends, grace) : std::min(lease.ends, grace);
  terms.connection = 0;
  terms.start = decision.start;
  append_renew(decision.records, state_.row(lease.row).id(), terms);
  return true;
}

bool Journal::decide_connection_closed(ConnectionId connection, Decision& decision) const {
  std::uint32_t steps = 0;
  std::uint32_t lease = state_.leases().first_of(static_cast<std::uint64_t>(connection));
  for (; lease != kNoLease && steps < kHoldsPerStep; lease = state_.leases()[lease].next)
    if (renew_without_connection(lease, decision)) ++steps;
  return lease != kNoLease;
}

bool Journal::decide_recovered(Decision& decision) const {
  std::uint32_t steps = 0;
  for (; recovered_lease_ < state_.leases().end(); ++recovered_lease_) {
    if (steps == kHoldsPerStep) return true;
    Lease const& lease = state_.leases()[recovered_lease_];
    if (lease.row != kNoRow && lease.start < decision.start && renew_without_connection(recovered_lease_, decision))
      ++steps;
  }
  return false;
}

// carry[0]: the next lease.
bool Journal::decide_time_lost(DurationMs lost, Decision& decision) const {
  std::uint64_t& next = decision.carry[0];
  for (std::uint32_t steps = 0; next < state_.leases().end(); ++next) {
    if (steps == kHoldsPerStep) return true;
    Lease const& lease = state_.leases()[static_cast<std::uint32_t>(next)];
    if (lease.row == kNoRow) continue;
    Leases::Terms terms = state_.terms_of(lease.row);
    terms.ends = std::min(terms.ends + lost.value, timer::kDateMax);
    append_renew(decision.records, state_.row(lease.row).id(), terms);
    ++steps;
  }
  return false;
}

// Process dates are kept, except of rows that were inserted under the wrong clock and were due by it. Whether another
// date was meant, or computed from that clock, cannot be known, and early is worse than late: use KICK for these.
void Journal::decide_clock_accepted(TimeMs from, Decision& decision) const {
  append_clock(decision.records, {from.value, decision.now.value});
}

// ---------------------------------------------------------------------------
// Copying forward

Restated Journal::restate_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const {
  std::uint64_t left = state_.regions().count_below(below);
  std::size_t bytes = 0;
  Pause const& pause = state_.pause();
  if (!pause.id.is_none() && Regions::start(pause.region) < below) {
    std::uint64_t const size = pause_record_bytes(pause);
    if (size > budget_bytes) return {true, size};
    append_pause(decision.records, pause.id, body_of(pause));
    bytes += size;
    --left;
  }
  for (std::uint32_t looked = 0; left > 0 && looked < kRestateLooksMax && looked < state_.rows().end(); ++looked) {
    if (restate_row_ >= state_.rows().end()) restate_row_ = 0;
    Row const& row = state_.row(restate_row_);
    if (row.place() != Place::free && Regions::start(row.region) < below) {
      RowBody const body = state_.body_of(restate_row_);
      // The largest size of its facts, counters and lease.
      std::uint64_t const size = row_record_bytes(body.facts) + 128 + body.lease.worker.size();
      if (bytes + size > budget_bytes) return {true, size > budget_bytes ? size : 0};
      append_row(decision.records, row.id(), body);
      bytes += size;
      --left;
    }
    ++restate_row_;
  }
  for (std::uint32_t looked = 0; left > 0 && looked < kRestateClientLooksMax && looked < state_.clients().end();
       ++looked) {
    if (restate_client_ >= state_.clients().end()) restate_client_ = 0;
    DedupWindows::Client const* const client = state_.clients().at(restate_client_);
    if (client != nullptr) {
      if (!client->owner_id.is_none() && Regions::start(client->owner_region) < below) {
        std::size_t const size = 64 + client->name.size() + client->origin->name.size();
        if (bytes + size > budget_bytes) return {true, size > budget_bytes ? size : 0};
        append_client_owner(decision.records, client->owner_id,
                            {client->name, client->origin->name, client->last_used});
        bytes += size;
        --left;
      }
      for (auto const& [number, segment] : client->segments) {
        if (Regions::start(segment.region) >= below) continue;
        std::size_t const size = 64 + client->name.size() + segment.seen.size() * 10;
        if (bytes + size > budget_bytes) return {true, size > budget_bytes ? size : 0};
        seen_.clear();
        for (DedupWindows::Seen const& seen : segment.seen)
          if (!DedupWindows::is_below(*client, number * kSegmentSequences + seen.offset)) seen_.push_back(seen);
        append_client(decision.records, segment.id, {client->name, client->last_used, number, seen_});
        bytes += size;
        --left;
      }
    }
    ++restate_client_;
  }
  return {left > 0, 0};
}

}  // namespace fastjournal::journal
