// Who has a row under which epoch: the first question of every command that renews or ends a lease.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "plugins/rows/state.h"

namespace fastjournal::rows {

// Whoever knows the epoch can end the lease: it is told to its holder, and to those who may manage the table.
[[nodiscard]] inline bool may_see_epoch(Lease const& lease, Command const& command) {
  bool const holds = command.holds && command.connection != ConnectionId::none &&
                     lease.connection == static_cast<std::uint64_t>(command.connection);
  return holds || command.may_manage;
}

// Why a row that is there has no such lease.
[[nodiscard]] Status refuse_lease(State const& state, std::uint32_t row, std::string_view what,
                                  std::string const& table, Command const& command);

// The row with that lease; kNoRow: `status` says why there is none. `what` and `table`, for people: "row" of "jobs". A row
// that is not there is not found: then `status` stays ok.
[[nodiscard]] inline std::uint32_t find_leased(State const& state, ObjectId id, LeaseEpoch epoch, std::string_view what,
                                               std::string const& table, Command const& command, Status& status) {
  std::uint32_t const row = state.find(id);
  if (row == kNoRow) return kNoRow;
  if (state.row(row).place() == Place::processing) {
    state.expect(row);
    if (state.lease_of(row).epoch == epoch) return row;
  }
  status = refuse_lease(state, row, what, table, command);
  return kNoRow;
}

}  // namespace fastjournal::rows
