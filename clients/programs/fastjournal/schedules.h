// Dates on the clock of a zone, for verbs about schedules.
#pragma once

#include <cstdint>
#include <string>

#include "fastjournal/zones.h"

namespace fastjournal::cli {

// Milliseconds since 1970 as 2026-11-21T13:00:00.000+01:00 there.
[[nodiscard]] std::string date_in_zone(std::int64_t ms, Zone const& zone);

}  // namespace fastjournal::cli
