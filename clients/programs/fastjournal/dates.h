// Dates as people read them: at a terminal in their own zone with its offset, elsewhere and with --utc in UTC. Both are
// read back by parse_date. JSON has milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "clients/programs/fastjournal/render.h"

namespace fastjournal::cli {

// Milliseconds since 1970 as 2026-11-21T13:00:00.250+01:00, or 2026-11-21T12:00:00.250Z.
[[nodiscard]] std::string date_text(std::int64_t ms, Look const& look);
// A sentence of the daemon, with such dates in UTC in it.
[[nodiscard]] std::string with_dates(std::string_view sentence, Look const& look);

}  // namespace fastjournal::cli
