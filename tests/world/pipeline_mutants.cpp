#include "tests/world/pipeline_mutants.h"

#include "tests/unit/pipeline/life.h"
#include "tests/world/pipeline_life.h"
#include "tests/world/table_mutants.h"

namespace fastjournal::sim {

test::Seen try_mutant(pipeline::Mutant mutant, std::uint64_t seed, std::uint64_t lives_max) {
  constexpr std::uint64_t kSteps = 1'500;
  constexpr std::uint64_t kStepsInDaemon = 200;
  TableProofs const proofs{"pipeline", [](std::uint64_t life) { return pipeline::test::live(life, kSteps).wrong; },
                           [](std::uint64_t life) { return live_with_pipelines(life, kStepsInDaemon).wrong; }};
  return try_fault([mutant] { pipeline::active_mutant = mutant; }, proofs, seed, lives_max);
}

}  // namespace fastjournal::sim
