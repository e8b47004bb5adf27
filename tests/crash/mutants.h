// The test of the tests: one fault after the other is put into the store, and
// the proofs must see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/mutants.h"
#include "tests/crash/campaign.h"

namespace fastjournal::storage::test {

struct Caught {
  Mutant mutant{Mutant::none};
  bool caught{false};
  std::string by;    // the proof that saw it
  std::string what;  // what that said
  std::uint64_t tries{0};
  double seconds{0};
};

// Runs the proofs on the store with this fault, until one of them complains or the plan is done.
[[nodiscard]] Caught try_mutant(Mutant mutant, Plan const& plan, Stopwatch const& stopwatch);

}  // namespace fastjournal::storage::test
