// Lives of a pipeline table in the daemon: workers find documents, make children of them and send them to receivers that
// count what comes, through kills and power cuts at any write. What may arrive once at most never arrives twice, what is
// recorded as sent has arrived, and in the end everything has.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct PipelineLifeResult {
  std::string wrong{};  // empty: no promise was broken
  std::uint64_t steps{0};
  std::uint64_t deliveries{0};  // that receivers counted
  std::uint64_t crashes{0};
};

[[nodiscard]] PipelineLifeResult live_with_pipelines(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::sim
