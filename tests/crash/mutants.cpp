// Plants one fault at a time and runs the proofs.
#include "tests/crash/mutants.h"

namespace fastjournal::log::file::test {

Caught try_mutant(Mutant mutant, Plan const& plan, Stopwatch const& stopwatch) {
  active_mutant = mutant;
  double const begin = stopwatch();
  Outcome const outcome = run_campaign(plan, stopwatch, {});
  active_mutant = Mutant::none;
  Caught caught;
  caught.mutant = mutant;
  caught.tries = outcome.sum.tries();
  caught.seconds = stopwatch() - begin;
  caught.caught = outcome.failure.has_value();
  if (!caught.caught) return caught;
  caught.by = outcome.phases.back().name;
  caught.what = outcome.failure->what;
  return caught;
}

}  // namespace fastjournal::log::file::test
