// The test of the tests of transactions: faults are planted (base/transaction_mutants.h), one at a time, and the
// transcripts, or lives with cuts of commits, must notice each of them.
#pragma once

#include <cstdint>

#include "base/transaction_mutants.h"
#include "tests/support/mutants_table.h"

namespace fastjournal::sim {

// Until a proof notices the fault. In a process of its own: some faults end it.
[[nodiscard]] test::Seen try_mutant(transaction::Mutant mutant, std::uint64_t seed, std::uint64_t lives_max);

}  // namespace fastjournal::sim
