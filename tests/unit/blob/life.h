// Random lives of a table beside a plain map: commands, time, kills, copies forward, maintenances of each mode whose copies
// are late, fail or find damage, writers whose bytes come for a file that is gone, transactions that promise a blob, and
// links that follow late. At each
// moment the coordinates that a reader is given lead to the newest bytes, and those of a reader by name do so for a minute.
// The same seed plays the same life.
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
  std::uint64_t named{0};    // answers to readers by name
  std::uint64_t newer{0};    // of these, in the newer file
  std::uint64_t refused{0};  // readers by name, in their minute
  std::uint64_t offline{0};  // blobs that were refused
  std::uint64_t kept{0};     // of transactions
};

[[nodiscard]] LifeResult live(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::blob::test
