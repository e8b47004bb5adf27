// fj_spool_mutants: every fault of spool/mutants.h against the random lives of the spool, as a table. Exit code 1 if one
// was not noticed, or if a life failed without any fault.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>

#include "tests/world/spool_mutants.h"

int main(int count, char** words) {
  using namespace fastjournal;
  std::string only;
  std::uint64_t seed = 1;
  std::uint64_t lives = 2'000;
  CLI::App app{"puts known faults into the forwarder: the random lives of the spool must see each"};
  app.add_option("--only", only, "the fault of this name");
  app.add_option("--seed", seed, "of the first life")->capture_default_str();
  app.add_option("--lives", lives, "with each fault, at most")->capture_default_str();
  CLI11_PARSE(app, count, words);

  int missed = 0;
  fmt::print("{:<34}{:>7}{:>8}  what it said\n", "fault", "lives", "s");
  for (std::size_t number = 0; number < spool::kMutantNames.size(); ++number) {
    if (!only.empty() && only != spool::kMutantNames[number]) continue;
    auto const begin = std::chrono::steady_clock::now();
    sim::CaughtInSpool const caught =
        sim::try_mutant(static_cast<spool::Mutant>(number), seed, number == 0 ? lives / 10 : lives);
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    bool const right = caught.what.empty() == (number == 0);
    missed += right ? 0 : 1;
    std::string const said = !caught.what.empty() ? caught.what : right ? "nothing to see" : "NOT SEEN";
    fmt::print("{:<34}{:>7}{:>8.2f}  {}\n", spool::kMutantNames[number], caught.lives, seconds, said.substr(0, 100));
    std::fflush(stdout);
  }
  fmt::print("{} faults, {} not seen\n", spool::kMutantNames.size() - 1, missed);
  return missed == 0 ? 0 : 1;
}
