// Random lives of a table beside a plain map: commands, time, kills, copies forward, maintenances whose copies are late,
// fail or find damage, and writers whose bytes come for a file that is gone. At each moment the coordinates that a reader
// is given lead to the newest bytes. The same seed plays the same life.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::blob::test {

struct LifeResult {
  std::string wrong{};  // empty: nothing
  std::uint64_t steps{0};
  std::uint64_t kills{0};
  std::uint64_t exchanges{0};
  std::uint64_t given_up{0};
};

[[nodiscard]] LifeResult live(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::blob::test
