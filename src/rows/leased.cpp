#include "rows/leased.h"

namespace fastjournal::rows {

std::uint32_t find_leased(State const& state, ObjectId id, LeaseEpoch epoch, std::string_view what,
                          std::string const& table, Status& status) {
  std::uint32_t const row = state.find(id);
  if (row == kNoRow) return kNoRow;
  bool const is_leased = state.row(row).place() == Place::processing;
  if (is_leased) {
    state.expect(row);
    if (state.lease_of(row).epoch == epoch) return row;
  }
  std::string const name = std::string{what} + " " + std::to_string(id.value) + " of table " + table;
  if (!is_leased) {
    status = {Code::not_leased, name + " is not leased: the lease ended or was given back"};
    return kNoRow;
  }
  Lease const& lease = state.lease_of(row);
  std::string const holder{state.leases().worker(lease)};
  status = Status{Code::stale_epoch,
                  name + " is leased to " + holder + " under epoch " + std::to_string(lease.epoch.value) + " now"}
               .with("holder", holder)
               .with("epoch", std::to_string(lease.epoch.value));
  return kNoRow;
}

}  // namespace fastjournal::rows
