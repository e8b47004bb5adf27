// fj_mutants: every fault of log/file/mutants.h against the proofs, as a table. Exit code 1 if one was not noticed, or
// if a proof failed without any fault.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>

#include "tests/crash/mutants.h"

int main(int count, char** words) {
  using namespace fastjournal::log::file;
  using namespace fastjournal::log::file::test;
  Plan plan;
  plan.scope = 1;
  plan.effort = Effort::lean;
  plan.crashes = 200'000;
  plan.damages = 20'000;
  plan.byte_crashes = 0;
  std::string only;
  CLI::App app{"puts known faults into the log store: the proofs must see each"};
  app.add_option("--only", only, "the fault of this name");
  app.add_option("--seed", plan.seed)->capture_default_str();
  app.add_option("--threads", plan.threads)->capture_default_str();
  CLI11_PARSE(app, count, words);

  auto const begin = std::chrono::steady_clock::now();
  Stopwatch const stopwatch = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  int missed = 0;
  fmt::print("{:<34}{:<22}{:>9}{:>8}  what it said\n", "fault", "seen by", "tries", "s");
  for (std::size_t number = 0; number < kMutantNames.size(); ++number) {
    if (!only.empty() && only != kMutantNames[number]) continue;
    Caught const caught = try_mutant(static_cast<Mutant>(number), plan, stopwatch);
    bool const right = caught.caught == (number != 0);
    if (!right) ++missed;
    fmt::print("{:<34}{:<22}{:>9}{:>8.2f}  {}\n", kMutantNames[number],
               caught.caught ? caught.by : (right ? "nothing to see" : "NOT SEEN"), caught.tries, caught.seconds,
               caught.what.substr(0, 100));
    std::fflush(stdout);
  }
  fmt::print("{} faults, {} not seen\n", kMutantNames.size() - 1, missed);
  return missed == 0 ? 0 : 1;
}
