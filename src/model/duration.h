// Durations and sizes as people write them (`1500`, `10s`, `2d`; `4096`,
// `512KiB`) and back. Whole numbers only: what is written is what is meant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::model {

// Milliseconds. A number without a unit is milliseconds; units: ms s m h d (one of them, lower case).
[[nodiscard]] Result<std::int64_t> parse_duration(std::string_view text);

// Bytes. A number without a unit is bytes; units: B KiB MiB GiB TiB.
[[nodiscard]] Result<std::int64_t> parse_size(std::string_view text);

// The shortest exact spelling, read back by the parsers above: "90s", "1h", "0ms"; "512KiB", "0B".
[[nodiscard]] std::string format_duration(std::int64_t milliseconds);
[[nodiscard]] std::string format_size(std::int64_t bytes);

}  // namespace fastjournal::model
