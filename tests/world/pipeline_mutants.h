// The test of the tests of pipeline tables: faults are planted in them (plugins/pipeline/mutants.h), one at a time, and
// the lives of a table alone, those of a table in a daemon, or the transcripts must notice each of them.
#pragma once

#include <cstdint>

#include "plugins/pipeline/mutants.h"
#include "tests/support/mutants_table.h"

namespace fastjournal::sim {

// Until a proof notices the fault. In a process of its own: some faults end it.
[[nodiscard]] test::Seen try_mutant(pipeline::Mutant mutant, std::uint64_t seed, std::uint64_t lives_max);

}  // namespace fastjournal::sim
