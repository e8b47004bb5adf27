// fj_sim_run: random lives of a daemon in the simulator, for as long as asked.
// A failure prints its seed and step; the same seed plays the same life again.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <random>

#include "tests/world/play.h"

int main(int count, char** words) {
  std::uint64_t seed = 0;
  std::uint64_t steps = 2000;
  double seconds = 60;
  CLI::App app{"random lives of a daemon in the simulator, with crashes"};
  auto* const one =
      app.add_option("--seed", seed, "play this life only; default: seeds from chance, one after the other");
  app.add_option("--steps", steps, "of one life")->capture_default_str();
  app.add_option("--seconds", seconds, "when no seed is given")->capture_default_str();
  CLI11_PARSE(app, count, words);

  auto const start = std::chrono::steady_clock::now();
  bool const terminal = ::isatty(1) == 1;
  std::uint64_t lives = 0;
  fastjournal::sim::PlayResult sum;
  if (one->count() == 0) seed = std::random_device{}();
  for (double elapsed = 0; lives == 0 || (one->count() == 0 && elapsed < seconds); ++lives, ++seed) {
    fastjournal::sim::PlayResult const result = fastjournal::sim::play(seed, steps);
    if (!result.wrong.empty()) {
      fmt::print("{}seed {}, {}\nagain: ./mk sim --seed {} --steps {}\n", terminal ? "\r" : "", seed, result.wrong,
                 seed, steps);
      return 1;
    }
    sum.steps += result.steps;
    sum.crashes += result.crashes;
    sum.acknowledged += result.acknowledged;
    sum.looks += result.looks;
    sum.failed_calls += result.failed_calls;
    sum.full_disks += result.full_disks;
    sum.rotten_bits += result.rotten_bits;
    sum.strayed_writes += result.strayed_writes;
    sum.refused_starts += result.refused_starts;
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (terminal) {
      fmt::print("\r{:3.0f} % {} lives, {} crashes", elapsed / seconds * 100, lives + 1, sum.crashes);
      std::fflush(stdout);
    }
  }
  double const took = std::max(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 0.001);
  fmt::print(
      "{}{} lives, {} steps, {} crashes and starts, {} answers, {} comparisons with a replay: no promise broken\n"
      "faults: {} failed calls, {} full disks, {} rotten bits, {} writes astray ({} starts refused, the others "
      "harmless)\n"
      "in {:.0f} s: {:.0f} steps, {:.1f} crashes, {:.0f} answers a second\n",
      terminal ? "\r" : "", lives, sum.steps, sum.crashes, sum.acknowledged, sum.looks, sum.failed_calls,
      sum.full_disks, sum.rotten_bits, sum.strayed_writes, sum.refused_starts, took,
      static_cast<double>(sum.steps) / took, static_cast<double>(sum.crashes) / took,
      static_cast<double>(sum.acknowledged) / took);
  return 0;
}
