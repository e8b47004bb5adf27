#include "rows/leased.h"

namespace fastjournal::rows {

Status refuse_lease(State const& state, std::uint32_t row, std::string_view what, std::string const& table) {
  std::string const name = std::string{what} + " " + std::to_string(state.id_of(row).value) + " of table " + table;
  if (state.row(row).place() != Place::processing)
    return {Code::not_leased, name + " is not leased: the lease ended or was given back"};
  Lease const& lease = state.lease_of(row);
  std::string const holder{state.leases().worker(lease)};
  return Status{Code::stale_epoch,
                name + " is leased to " + holder + " under epoch " + std::to_string(lease.epoch.value) + " now"}
      .with("holder", holder)
      .with("epoch", std::to_string(lease.epoch.value));
}

}  // namespace fastjournal::rows
