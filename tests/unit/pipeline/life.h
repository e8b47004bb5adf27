// Random lives of a table beside the reference (reference.h): commands, time, ends of connections, kills and copies
// forward. The same seed plays the same life.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::pipeline::test {

struct LifeResult {
  std::string wrong{};  // empty: nothing
  std::uint64_t steps{0};
  std::uint64_t crashes{0};
  std::uint64_t pages{0};  // of ended documents that were written
};

[[nodiscard]] LifeResult live(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::pipeline::test
