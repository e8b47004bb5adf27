// Lives of what lies outside the log, in the daemon: a blob table and a journal that spills, through maintenance, kills
// and power cuts with commands under way. What was acknowledged is there, byte for byte, and nothing is there that nobody
// wrote.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct BytesLifeResult {
  std::string wrong{};  // empty: no promise was broken
  std::uint64_t steps{0};
  std::uint64_t writes{0};
  std::uint64_t crashes{0};
  std::uint64_t exchanges{0};  // of data files
};

[[nodiscard]] BytesLifeResult live_with_bytes(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::sim
