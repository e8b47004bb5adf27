#include "plugins/rows/leased.h"

#include <utility>

namespace fastjournal::rows {

Status refuse_lease(State const& state, std::uint32_t row, std::string_view what, std::string const& table,
                    Command const& command) {
  std::string const name = std::string{what} + " " + std::to_string(state.id_of(row).value) + " of table " + table;
  if (state.row(row).place() != Place::processing)
    return {Code::not_leased, name + " is not leased: the lease ended or was given back"};
  Lease const& lease = state.lease_of(row);
  std::string const holder{state.leases().worker(lease)};
  Status out =
      Status{Code::stale_epoch, name + " is leased to " + holder + " under another epoch now"}.with("holder", holder);
  return may_see_epoch(lease, command) ? std::move(out).with("epoch", std::to_string(lease.epoch.value))
                                       : std::move(out);
}

}  // namespace fastjournal::rows
