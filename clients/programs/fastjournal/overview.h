// watch, timeline, domains, waiters: what a table looks like as a whole, from as many pages as the daemon has of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace fastjournal::cli {

// Rows by the span of time in which they fall due: (from, to], where 0 is no bound.
using Timeline = std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t>;
// A line for each span, with a bar; `now`: the begin of the timeline.
[[nodiscard]] std::string render_timeline(Timeline const& timeline, std::int64_t now, std::size_t width);

}  // namespace fastjournal::cli
