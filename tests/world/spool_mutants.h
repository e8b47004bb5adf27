// The test of the spool's tests: faults are planted in the forwarder (spool/mutants.h), one at a time, and the random
// lives must notice each of them.
#pragma once

#include <cstdint>
#include <string>

#include "spool/mutants.h"

namespace fastjournal::sim {

struct CaughtInSpool {
  std::string what;  // empty: it was not noticed
  std::uint64_t seed{0};
  std::uint64_t lives{0};
};

// Lives from this seed on, until one of them notices the fault.
[[nodiscard]] CaughtInSpool try_mutant(spool::Mutant mutant, std::uint64_t seed, std::uint64_t lives_max);

}  // namespace fastjournal::sim
