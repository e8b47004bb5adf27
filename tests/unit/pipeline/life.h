// Random lives of a table beside the reference (reference.h): commands, time, ends of connections, kills and copies
// forward. The same seed plays the same life.
#pragma once

#include <cstdint>

#include "tests/support/life.h"

namespace fastjournal::pipeline::test {

[[nodiscard]] fastjournal::test::LifeResult live(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::pipeline::test
