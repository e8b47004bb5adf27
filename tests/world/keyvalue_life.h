// Lives of a key/value table in the daemon, through kills and power cuts with commands under way: what was acknowledged
// as synced is there, what was acknowledged at all survives a kill, and nothing is there that nobody wrote.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct KeyValueLifeResult {
  std::string wrong{};  // empty: no promise was broken
  std::uint64_t steps{0};
  std::uint64_t writes{0};
  std::uint64_t crashes{0};
};

[[nodiscard]] KeyValueLifeResult live_with_values(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::sim
