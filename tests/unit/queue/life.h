// Random lives of a table beside the reference (reference.h): commands, time, ends of connections, kills and copies
// forward. The same seed plays the same life.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::queue::test {

struct LifeResult {
  std::string wrong{};  // empty: nothing
  std::uint64_t steps{0};
  std::uint64_t crashes{0};
};

// A shared body is copied forward in parts, with the end of one of its rows between: a log that begins with the copies has
// the letter, the row that ends, and then the row that is left. Random lives seldom come there. Empty: nothing was wrong.
[[nodiscard]] std::string start_amid_copies();

[[nodiscard]] LifeResult live(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::queue::test
