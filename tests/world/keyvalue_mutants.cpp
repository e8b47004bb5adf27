#include "tests/world/keyvalue_mutants.h"

#include "tests/unit/keyvalue/life.h"
#include "tests/world/keyvalue_life.h"
#include "tests/world/table_mutants.h"

namespace fastjournal::sim {

test::Seen try_mutant(keyvalue::Mutant mutant, std::uint64_t seed, std::uint64_t lives_max) {
  constexpr std::uint64_t kSteps = 1'500;
  constexpr std::uint64_t kStepsInDaemon = 300;
  TableProofs const proofs{"keyvalue", [](std::uint64_t life) { return keyvalue::test::live(life, kSteps).wrong; },
                           [](std::uint64_t life) { return live_with_values(life, kStepsInDaemon).wrong; }};
  return try_fault([mutant] { keyvalue::active_mutant = mutant; }, proofs, seed, lives_max);
}

}  // namespace fastjournal::sim
