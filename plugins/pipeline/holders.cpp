#include "plugins/pipeline/holders.h"

#include <algorithm>

#include "model/timer/wheel.h"

namespace fastjournal::pipeline {
namespace {

// Records of up to 350 bytes.
constexpr std::uint32_t kRenewalsPerStep = 40;

}  // namespace

void Holders::renew(std::uint32_t number, rows::Leases::Terms const& terms, Decision& decision) const {
  std::uint32_t const cell = shared_.work().leases()[number].row;
  model::append_record(decision.records, shared_.store()[shared_.store().cell(cell).document].id(),
                       LeaseBody{{shared_.documents.ordinal_of(cell)}, std::nullopt, terms});
}

bool Holders::renew_without_connection(std::uint32_t number, Decision& decision) const {
  rows::Lease const& lease = shared_.work().leases()[number];
  if (shared_.store().cell(lease.row).place != Place::leased) return false;
  bool const is_former = lease.start < decision.start;
  if (!is_former && lease.connection == 0) return false;
  rows::Leases::Terms terms = shared_.documents.cells().terms_of(lease.row);
  std::int64_t const grace = std::min(decision.now.value + shared_.options.grace, timer::kDateMax);
  // As of rows (plugins/rows/timers.cpp).
  bool const by_date = lease.connection == 0 || lease.connection == rows::kNoConnection;
  terms.ends = by_date ? std::max(lease.ends, grace) : is_former ? grace : std::min(lease.ends, grace);
  terms.connection = lease.connection == rows::kNoConnection ? rows::kNoConnection : 0;
  terms.start = decision.start;
  renew(number, terms, decision);
  return true;
}

bool Holders::connection_closed(ConnectionId connection, Decision& decision) const {
  rows::Leases const& leases = shared_.work().leases();
  std::uint32_t steps = 0;
  std::uint32_t lease = leases.first_of(static_cast<std::uint64_t>(connection));
  for (; lease != rows::kNoLease && steps < kRenewalsPerStep; lease = leases[lease].next)
    if (renew_without_connection(lease, decision)) ++steps;
  return lease != rows::kNoLease;
}

bool Holders::recovered(Decision& decision) const {
  rows::Leases const& leases = shared_.work().leases();
  std::uint32_t steps = 0;
  for (; recovered_lease_ < leases.end(); ++recovered_lease_) {
    if (steps == kRenewalsPerStep) return true;
    rows::Lease const& lease = leases[recovered_lease_];
    if (lease.row != rows::kNoRow && lease.start < decision.start &&
        renew_without_connection(recovered_lease_, decision))
      ++steps;
  }
  return false;
}

// carry[0]: the next lease.
bool Holders::time_lost(DurationMs lost, Decision& decision) const {
  rows::Leases const& leases = shared_.work().leases();
  std::uint64_t& next = decision.carry[0];
  for (std::uint32_t steps = 0; next < leases.end(); ++next) {
    if (steps == kRenewalsPerStep) return true;
    rows::Lease const& lease = leases[static_cast<std::uint32_t>(next)];
    if (lease.row == rows::kNoRow || shared_.store().cell(lease.row).place != Place::leased) continue;
    rows::Leases::Terms terms = shared_.documents.cells().terms_of(lease.row);
    terms.ends = std::min(terms.ends + lost.value, timer::kDateMax);
    renew(static_cast<std::uint32_t>(next), terms, decision);
    ++steps;
  }
  return false;
}

}  // namespace fastjournal::pipeline
