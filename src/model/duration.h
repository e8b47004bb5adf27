// Durations and sizes in the spelling of people (`1500`, `10s`, `2d`; `4096`, `512KiB`) and back. Whole numbers only:
// nothing is rounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::model {

// Milliseconds. A number without a unit is milliseconds; one unit of ms s m h d, in lower case.
[[nodiscard]] Result<std::int64_t> parse_duration(std::string_view text);

// Bytes. A number without a unit is bytes; units: B KiB MiB GiB TiB.
[[nodiscard]] Result<std::int64_t> parse_size(std::string_view text);

// The shortest exact spelling, which the parsers above read back: "90s", "1h", "0ms"; "512KiB", "0B".
[[nodiscard]] std::string format_duration(std::int64_t milliseconds);
[[nodiscard]] std::string format_size(std::int64_t bytes);

}  // namespace fastjournal::model
