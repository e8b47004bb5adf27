// Random lives of a table beside the reference (reference.h): commands, time, ends of connections, kills and copies
// forward. The same seed plays the same life.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/life.h"

namespace fastjournal::queue::test {

// A shared body is compacted in parts, with the end of one of its rows between: a log that begins with the copies has
// the letter, the row that ends, and then the row that is left. Random lives seldom come there. Empty: nothing was wrong.
[[nodiscard]] std::string start_amid_copies();

[[nodiscard]] fastjournal::test::LifeResult live(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::queue::test
