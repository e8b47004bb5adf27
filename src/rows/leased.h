// Who has a row under which epoch: the first question of every command that renews or ends a lease.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "rows/state.h"

namespace fastjournal::rows {

// Why a row that is there has no such lease.
[[nodiscard]] Status refuse_lease(State const& state, std::uint32_t row, std::string_view what,
                                  std::string const& table);

// The row with that lease; kNoRow: `status` says why there is none. `what` and `table`, for people: "row" of "jobs". A row
// that is not there is not found: then `status` stays ok.
[[nodiscard]] inline std::uint32_t find_leased(State const& state, ObjectId id, LeaseEpoch epoch, std::string_view what,
                                               std::string const& table, Status& status) {
  std::uint32_t const row = state.find(id);
  if (row == kNoRow) return kNoRow;
  if (state.row(row).place() == Place::processing) {
    state.expect(row);
    if (state.lease_of(row).epoch == epoch) return row;
  }
  status = refuse_lease(state, row, what, table);
  return kNoRow;
}

}  // namespace fastjournal::rows
