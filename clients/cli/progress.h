// How far a long work on files is, as lines on standard error: nothing for what
// takes no longer than a glance.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "tools/progress.h"

namespace fastjournal::cli {

// Between two lines.
inline constexpr std::uint64_t kTellEveryBytes = 256U << 20U;

// `what` begins each line: "fastjournal log verify: /data/shared". `err` stays.
[[nodiscard]] tools::Progress progress_on(std::ostream& err, std::string what);

}  // namespace fastjournal::cli
