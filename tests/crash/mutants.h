// The test of the tests: faults are planted in the store, one at a time, and the proofs must detect each of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "log/file/mutants.h"
#include "tests/crash/campaign.h"

namespace fastjournal::log::file::test {

struct Caught {
  Mutant mutant{Mutant::none};
  bool caught{false};
  std::string by;    // the proof that noticed it
  std::string what;  // its message
  std::uint64_t tries{0};
  double seconds{0};
};

// Runs the proofs on the store with this fault, until one of them fails or the plan is done.
[[nodiscard]] Caught try_mutant(Mutant mutant, Plan const& plan, Stopwatch const& stopwatch);

}  // namespace fastjournal::log::file::test
