// Words of answers and alerts that several commands use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plugins/rows/limits.h"
#include "plugins/rows/rows.h"

namespace fastjournal::journal {

// A row's status, as in messages.
// Names of groups that a row waits for, each on a line of its own: up to 2 KiB.
inline void add_group(std::string& to, std::string_view name) {
  constexpr std::size_t kBytesMax = 2048;
  if (to.size() + name.size() >= kBytesMax) return;
  if (!to.empty()) to += '\n';
  to += name;
}

[[nodiscard]] constexpr std::string_view status_of(rows::Place place) {
  using rows::Place;
  switch (place) {
    case Place::free: break;
    case Place::future: return "waiting";
    case Place::listed:
    case Place::treed: return "due";
    case Place::behind: return "behind";
    case Place::blocked: return "blocked";
    case Place::processing: return "processing";
    case Place::parked: return "parked";
    case Place::held: return "held";
  }
  return "";
}

// The option that delays a due row.
[[nodiscard]] constexpr std::string_view option_of(rows::Limited limit) {
  switch (limit) {
    case rows::Limited::none:
    case rows::Limited::paused: break;
    case rows::Limited::domain_concurrency: return "concurrency-domain";
    case rows::Limited::domain_rate: return "rate-domain";
    case rows::Limited::table_concurrency: return "concurrency";
    case rows::Limited::table_rate: return "rate";
  }
  return "";
}

// "1 row", "2 rows"
[[nodiscard]] inline std::string times(std::uint64_t count, std::string_view what) {
  std::string out = std::to_string(count) + " " + std::string{what};
  if (count != 1) out += 's';
  return out;
}

}  // namespace fastjournal::journal
