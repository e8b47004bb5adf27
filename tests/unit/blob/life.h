// Random lives of a table beside a plain map: commands, time, kills, compacts, maintenances of each mode whose copies
// are late, fail or find damage, writers whose bytes come for a file that is gone, transactions that promise a blob, and
// links that follow late. At each
// moment the coordinates that a reader is given lead to the newest bytes, and those of a reader by name do so for a minute.
// The same seed plays the same life.
#pragma once

#include <cstdint>

#include "tests/support/life.h"

namespace fastjournal::blob::test {

// It counts kills, "exchanges of files", those "given up", "answers to readers by name", of these those "in a newer file"
// and "refused", and blobs "refused offline".
[[nodiscard]] fastjournal::test::LifeResult live(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::blob::test
