// Who has a row under which epoch: the first question of every command that renews or ends a lease.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "rows/state.h"

namespace fastjournal::rows {

// The row with that lease; kNoRow: `status` says why there is none. `what` and `table`, for people: "row" of "jobs". A row
// that is not there is not found: then `status` stays ok.
[[nodiscard]] std::uint32_t find_leased(State const& state, ObjectId id, LeaseEpoch epoch, std::string_view what,
                                        std::string const& table, Status& status);

}  // namespace fastjournal::rows
