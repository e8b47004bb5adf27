// Dates and spans of time as people read them; always UTC, always the same
// spelling. Durations that are read back stand in duration.h.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::model {

// Milliseconds since 1970 as 2026-11-21T12:00:00.250Z.
[[nodiscard]] std::string format_date(std::int64_t milliseconds);

// A number that was meant as seconds: 100,000,000 to 99,999,999,999 are seconds of the years 1973 to 5138, and
// milliseconds of 1970 to 1973, when there was no row yet. A fixed range, so that no clock decides whether a message is
// refused.
[[nodiscard]] constexpr bool looks_like_seconds(std::int64_t milliseconds) {
  return milliseconds >= 100'000'000 && milliseconds < 100'000'000'000;
}

// About how long, in at most two units: "250 ms", "12.3 s", "5 min 3 s", "3 h 20 min", "2 d 4 h". Negative counts as 0.
[[nodiscard]] std::string format_span(std::int64_t milliseconds);

}  // namespace fastjournal::model
