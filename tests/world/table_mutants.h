// Faults planted in a table type, and what its proofs say of them: its transcripts, the lives of a table alone and those
// of a table in a daemon.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/support/mutants_table.h"

namespace fastjournal::sim {

struct TableProofs {
  std::string transcripts;                          // the files of tests/transcripts that begin so
  std::function<std::string(std::uint64_t)> alone;  // a life of this seed; empty: nothing was wrong
  std::function<std::string(std::uint64_t)> in_daemon;
};

// Until a proof notices the fault. In a process of its own: some faults end it.
[[nodiscard]] test::Seen try_fault(std::function<void()> const& plant, TableProofs const& proofs, std::uint64_t seed,
                                   std::uint64_t lives_max);

}  // namespace fastjournal::sim
