// Dates and spans of time for people; always UTC, always the same spelling. duration.h has the durations that are also
// read back.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::model {

// Milliseconds since 1970 as 2026-11-21T12:00:00.250Z.
[[nodiscard]] std::string format_date(std::int64_t milliseconds);

// A number probably meant as seconds: 100,000,000 to 99,999,999,999 are the years 1973 to 5138 in seconds, and 1970 to
// 1973 in milliseconds, before any row existed. The range is fixed, so that no clock decides whether a message is
// refused.
[[nodiscard]] constexpr bool looks_like_seconds(std::int64_t milliseconds) {
  return milliseconds >= 100'000'000 && milliseconds < 100'000'000'000;
}

// Approximate, in at most two units: "250 ms", "12.3 s", "5 min 3 s", "3 h 20 min", "2 d 4 h". Negative values are 0.
[[nodiscard]] std::string format_span(std::int64_t milliseconds);

}  // namespace fastjournal::model
