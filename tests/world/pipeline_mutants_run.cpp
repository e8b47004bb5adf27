// fj_pipeline_mutants: every fault of plugins/pipeline/mutants.h against the proofs of pipeline tables, as a table. Exit
// code 1 if one was not noticed, or if a proof failed without any fault.
#include <CLI/CLI.hpp>

#include "tests/world/pipeline_mutants.h"

int main(int count, char** words) {
  using namespace fastjournal;
  std::string only;
  std::uint64_t seed = 1;
  std::uint64_t lives = 300;
  CLI::App app{"puts known faults into pipeline tables: their proofs must see each"};
  app.add_option("--only", only, "the fault of this name");
  app.add_option("--seed", seed, "of the first life")->capture_default_str();
  app.add_option("--lives", lives, "with each fault, at most")->capture_default_str();
  CLI11_PARSE(app, count, words);
  return test::show_mutants(pipeline::kMutantNames, only,
                            [&](std::size_t number) {
                              return sim::try_mutant(static_cast<pipeline::Mutant>(number), seed,
                                                     number == 0 ? lives / 10 : lives);
                            }) == 0
             ? 0
             : 1;
}
