// Lives of a queue table in the daemon: consumers move messages around a ring of queues in transactions, some of them
// distributed, through kills and power cuts. No message is lost and none is there twice; what was acknowledged is there.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct QueueLifeResult {
  std::string wrong{};  // empty: no promise was broken
  std::uint64_t steps{0};
  std::uint64_t moves{0};  // messages moved, as counted at the end
  std::uint64_t crashes{0};
  std::uint64_t kicked{0};  // leases taken back
};

[[nodiscard]] QueueLifeResult live_with_queues(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::sim
