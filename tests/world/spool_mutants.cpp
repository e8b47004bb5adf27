#include "tests/world/spool_mutants.h"

#include "tests/world/spool_life.h"

namespace fastjournal::sim {

CaughtInSpool try_mutant(spool::Mutant mutant, std::uint64_t seed, std::uint64_t lives_max) {
  constexpr std::uint64_t kSteps = 2'000;
  spool::active_mutant = mutant;
  CaughtInSpool out;
  for (; out.what.empty() && out.lives < lives_max; ++out.lives) {
    out.seed = seed + out.lives;
    out.what = live_with_spool(out.seed, kSteps).wrong;
  }
  spool::active_mutant = spool::Mutant::none;
  return out;
}

}  // namespace fastjournal::sim
