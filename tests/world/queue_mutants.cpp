#include "tests/world/queue_mutants.h"

#include "tests/unit/queue/life.h"
#include "tests/world/queue_life.h"
#include "tests/world/table_mutants.h"

namespace fastjournal::sim {

test::Seen try_mutant(queue::Mutant mutant, std::uint64_t seed, std::uint64_t lives_max) {
  constexpr std::uint64_t kSteps = 1'500;
  constexpr std::uint64_t kStepsInDaemon = 200;
  auto const alone = [](std::uint64_t life) {
    std::string const wrong = queue::test::start_amid_copies();
    return wrong.empty() ? queue::test::live(life, kSteps).wrong : wrong;
  };
  TableProofs const proofs{"queue", alone,
                           [](std::uint64_t life) { return live_with_queues(life, kStepsInDaemon).wrong; }};
  return try_fault([mutant] { queue::active_mutant = mutant; }, proofs, seed, lives_max);
}

}  // namespace fastjournal::sim
