// What a monitoring system costs that fetches /metrics of a daemon with many tables: the loop's time for each scrape, and
// the longest that an honest client waits meanwhile.
#pragma once

#include <cstdint>
#include <string>

#include "tests/hostile/victim.h"

namespace fastjournal::hostile {

struct ScrapeFigure {
  std::uint64_t tables{0};
  std::uint64_t scrapes{0};
  double bytes{0};            // of one answer
  double loop_ms{0};          // of the loop's thread, for one scrape
  double longest_turn_ms{0};  // of a turn, as STATS tells
  std::string wrong{};
};

[[nodiscard]] ScrapeFigure measure_scrapes(Programs const& programs, std::uint64_t tables);
[[nodiscard]] std::string as_text(ScrapeFigure const& figure);

}  // namespace fastjournal::hostile
