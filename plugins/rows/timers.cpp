#include "plugins/rows/timers.h"

#include <algorithm>

#include "model/timer/wheel.h"

namespace fastjournal::rows {
namespace {

// The rows of one step of the timers: an expired twin and a park with its error take up to 60 + 1100 bytes.
constexpr std::uint32_t kLeasesPerStep = 12;
constexpr std::uint32_t kExpiredPerStep = 200;
constexpr std::uint32_t kClientsPerStep = 50;
// Of 220 bytes.
constexpr std::uint32_t kGroupsPerStep = 50;
// What an error names of what failed.
constexpr std::size_t kNamedMax = 10;
constexpr std::uint32_t kUniquesPerStep = 200;
// The leases that lose their connection in one step: 25 bytes and the worker's name each.
constexpr std::uint32_t kRenewalsPerStep = 40;

}  // namespace

std::int64_t Timers::parked_until() const {
  Places::Deadlines const& parked = rows_.state().places().parked();
  return lifetimes_.parked == 0 || parked.empty() ? INT64_MAX : parked.begin()->first + lifetimes_.parked;
}

TimeMs Timers::next_due() const {
  Places const& places = rows_.state().places();
  std::int64_t due =
      std::min({places.next_due().value, parked_until(), rows_.clients().first_unused(lifetimes_.client)});
  if (JobGroups const& groups = rows_.state().job_groups(); groups.size() > 0) [[unlikely]]
    due = std::min(due, std::max(groups.next_due(lifetimes_.group), places.now()));
  if (!rows_.uniques().empty()) [[unlikely]]
    due = std::min(due, std::max(rows_.uniques().next_due(lifetimes_.uniques), places.now()));
  if (!places.leases().ends().empty()) due = std::min(due, places.leases().ends().begin()->first);
  if (!places.expiries().empty()) due = std::min(due, places.expiries().begin()->first);
  return TimeMs{due};
}

bool Timers::expire(Decision& decision) const {
  State const& state = rows_.state();
  std::int64_t const now = decision.now.value;
  std::uint32_t steps = 0;
  for (auto const& [date, row] : state.places().expiries()) {
    if (date > now || steps == kExpiredPerStep) break;
    attempts_.remove(row, Reason::expired, decision);
    ++steps;
  }
  if (steps > 0) return true;
  if (parked_until() <= now) {
    for (auto const& [date, row] : state.places().parked()) {
      if (date + lifetimes_.parked > now || steps == kExpiredPerStep) break;
      attempts_.remove(row, Reason::expired, decision);
      ++steps;
    }
    return true;
  }
  if (rows_.uniques().drop_over(lifetimes_.uniques, now, kUniquesPerStep, decision.records) > 0) return true;
  return rows_.clients().drop_unused(lifetimes_.client, now, kClientsPerStep, decision.records) > 0;
}

bool Timers::follow(Decision& decision) const {
  State const& state = rows_.state();
  Waits const& waits = state.places().waits();
  std::uint32_t steps = 0;
  if (waits.has_work()) {
    for (std::uint32_t const row : waits.doomed()) {
      if (steps++ == kLeasesPerStep) return true;
      std::string error = "what it waited for failed:";
      std::size_t named = 0;
      for (After::One const& one : waits.after_of(row).all) {
        if (one.kind != After::Kind::broken) continue;
        if (++named > kNamedMax) continue;
        error += (named == 1 ? " " : ", ") + state.name_for_people(one.id);
      }
      if (named > kNamedMax) error += " and " + std::to_string(named - kNamedMax) + " more";
      attempts_.fail_untried(row, error, decision);
    }
    // Its group ended without a failure, for which alone it waited.
    for (std::uint32_t const row : waits.needless()) {
      if (steps++ == kLeasesPerStep) return true;
      attempts_.remove(row, Reason::done, decision);
    }
    if (steps > 0) return true;
  }
  if (state.job_groups().size() == 0) return false;
  return state.job_groups().decide(lifetimes_.group, decision.now.value, kGroupsPerStep, decision.records) > 0;
}

Timers::LeasesEnded Timers::end_leases(Decision& decision) const {
  State const& state = rows_.state();
  LeasesEnded out;
  for (auto const& [date, lease] : state.leases().ends()) {
    if (date > decision.now.value) break;
    out.more = true;
    if (out.count == kLeasesPerStep) return out;
    std::uint32_t const row = state.leases()[lease].row;
    // The second row of a key must see the result of the first: it becomes its twin.
    bool const alone = state.keys().of(row).processing_count > 1;
    if (alone && out.count > 0) return out;
    out.overdue += state.leases()[lease].connection == 0 ? 0 : 1;
    attempts_.time_out(row, decision);
    ++out.count;
    if (alone) return out;
  }
  out.more = false;
  return out;
}

// ---------------------------------------------------------------------------
// Leases without a connection

// False: it is unchanged.
bool Timers::renew_without_connection(std::uint32_t number, Decision& decision) const {
  State const& state = rows_.state();
  Lease const& lease = state.leases()[number];
  bool const former = lease.start < decision.start;
  if (state.row(lease.row).place() == Place::held || (!former && lease.connection == 0)) return false;
  Leases::Terms terms = state.terms_of(lease.row);
  std::int64_t const grace = std::min(decision.now.value + lifetimes_.grace, timer::kDateMax);
  // The worker's connection is gone, or ended with a former start: the grace is there to connect again. What belongs to
  // none, or was given the grace before, lasts until its date, and for the grace if the daemon was down then.
  bool const by_date = lease.connection == 0 || lease.connection == kNoConnection;
  terms.ends = by_date ? std::max(lease.ends, grace) : former ? grace : std::min(lease.ends, grace);
  terms.connection = lease.connection == kNoConnection ? kNoConnection : 0;
  terms.start = decision.start;
  model::append_record(decision.records, state.id_of(lease.row), RenewBody{terms});
  return true;
}

bool Timers::connection_closed(ConnectionId connection, Decision& decision) const {
  Leases const& leases = rows_.state().leases();
  std::uint32_t steps = 0;
  std::uint32_t lease = leases.first_of(static_cast<std::uint64_t>(connection));
  for (; lease != kNoLease && steps < kRenewalsPerStep; lease = leases[lease].next)
    if (renew_without_connection(lease, decision)) ++steps;
  return lease != kNoLease;
}

bool Timers::recovered(Decision& decision) const {
  Leases const& leases = rows_.state().leases();
  std::uint32_t steps = 0;
  for (; recovered_lease_ < leases.end(); ++recovered_lease_) {
    if (steps == kRenewalsPerStep) return true;
    Lease const& lease = leases[recovered_lease_];
    if (lease.row != kNoRow && lease.start < decision.start && renew_without_connection(recovered_lease_, decision))
      ++steps;
  }
  return false;
}

// carry[0]: the next lease.
bool Timers::time_lost(DurationMs lost, Decision& decision) const {
  State const& state = rows_.state();
  std::uint64_t& next = decision.carry[0];
  for (std::uint32_t steps = 0; next < state.leases().end(); ++next) {
    if (steps == kRenewalsPerStep) return true;
    Lease const& lease = state.leases()[static_cast<std::uint32_t>(next)];
    if (lease.row == kNoRow || state.row(lease.row).place() == Place::held) continue;
    Leases::Terms terms = state.terms_of(lease.row);
    terms.ends = std::min(terms.ends + lost.value, timer::kDateMax);
    model::append_record(decision.records, state.id_of(lease.row), RenewBody{terms});
    ++steps;
  }
  return false;
}

bool Timers::given_up(TransactionId transaction, Decision& decision) const {
  std::vector<ObjectId> const* const objects = rows_.holds().objects_of(transaction);
  if (objects == nullptr) return false;
  State const& state = rows_.state();
  std::int64_t const grace = std::min(decision.now.value + lifetimes_.grace, timer::kDateMax);
  std::uint32_t steps = 0;
  for (ObjectId const object : *objects) {
    std::uint32_t const row = state.find(object);
    if (row == kNoRow || state.row(row).place() != Place::processing || state.lease_of(row).ends >= grace) continue;
    if (steps == kRenewalsPerStep) return true;
    Leases::Terms terms = state.terms_of(row);
    terms.ends = grace;
    model::append_record(decision.records, object, RenewBody{terms});
    ++steps;
  }
  return false;
}

// Process dates are kept, except of rows that were inserted under the wrong clock and were due by it. Whether another
// date was meant, or computed from that clock, cannot be known, and early is worse than late: use KICK for these.
void Timers::clock_accepted(TimeMs from, Decision& decision) const {
  model::append_record(decision.records, {}, ClockBody{from.value, decision.now.value});
}

}  // namespace fastjournal::rows
