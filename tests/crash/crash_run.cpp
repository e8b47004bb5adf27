// fj_crash: the proofs of the log store and of byte files in full, or one case again. A failure prints how to repeat it
// and is added to tests/crash/failed_seeds.txt, which the default tests always replay.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <array>
#include <chrono>
#include <fstream>

#include "tests/crash/campaign.h"

namespace {

using namespace fastjournal::log::file::test;
using Clock = std::chrono::steady_clock;

constexpr char kFailedSeeds[] = FJ_SOURCE_DIR "/tests/crash/failed_seeds.txt";

void print_row(Phase const& phase) {
  fmt::print("{:<20}{:>10}{:>12}{:>10}{:>10}{:>8}{:>8.1f}{:>10.0f}\n", phase.name, phase.histories, phase.crashes,
             phase.nested, phase.damages, phase.failed_calls, phase.seconds,
             static_cast<double>(phase.tries()) / std::max(phase.seconds, 0.001));
}

void print_table(Outcome const& outcome) {
  fmt::print("{:<20}{:>10}{:>12}{:>10}{:>10}{:>8}{:>8}{:>10}\n", "proof", "histories", "crashes", "nested", "damages",
             "calls", "s", "tries/s");
  for (Phase const& phase : outcome.phases) print_row(phase);
  Phase sum = outcome.sum;
  sum.name = "sum";
  print_row(sum);
}

std::string json_of(Phase const& phase) {
  return fmt::format(
      R"({{"proof":"{}","histories":{},"crashes":{},"nested":{},"damages":{},"failed_calls":{},"seconds":{:.3f}}})",
      phase.name, phase.histories, phase.crashes, phase.nested, phase.damages, phase.failed_calls, phase.seconds);
}

void print_json(Plan const& plan, Outcome const& outcome) {
  std::string phases;
  for (Phase const& phase : outcome.phases) phases += (phases.empty() ? "" : ",") + json_of(phase);
  Phase sum = outcome.sum;
  sum.name = "sum";
  fmt::print(R"({{"seed":{},"threads":{},"violations":{},"phases":[{}],"sum":{}}})"
             "\n",
             plan.seed, plan.threads, outcome.failure ? 1 : 0, phases, json_of(sum));
}

void keep(Failure const& failure) { std::ofstream{kFailedSeeds, std::ios::app} << failure.again << '\n'; }

int again(std::string const& words) {
  Tally tally;
  if (auto const failure = run_again(words, tally)) {
    fmt::print("{}\n", failure->what);
    return 1;
  }
  fmt::print("{} histories, {} crashes, {} damages, {} failed calls: no violation\n", tally.histories.load(),
             tally.crashes.load(), tally.damages.load(), tally.failed_calls.load());
  return 0;
}

class Teller {
 public:
  explicit Teller(bool json) : terminal_(!json && ::isatty(1) == 1), silent_(json) {}
  void operator()(Phase const& phase) {
    auto const now = Clock::now();
    if (silent_ || now - last_ < (terminal_ ? std::chrono::milliseconds{200} : std::chrono::seconds{10})) return;
    last_ = now;
    fmt::print("{}{}: {} crashes, {} damages, {:.0f} tries/s{}", terminal_ ? "\r" : "", phase.name, phase.crashes,
               phase.damages, static_cast<double>(phase.tries()) / std::max(phase.seconds, 0.001),
               terminal_ ? "\033[K" : "\n");
    std::fflush(stdout);
  }
  void end() const {
    if (terminal_) fmt::print("\r\033[K");
  }

 private:
  bool terminal_;
  bool silent_;
  Clock::time_point last_{Clock::now()};
};

}  // namespace

int main(int count, char** words) {
  Plan plan;
  std::string word;
  std::string effort{"thorough"};
  std::size_t sizes = 0;
  std::uint64_t damage_seed = 0;
  std::uint64_t byte_seed = 0;
  std::uint64_t turn_seed = 0;
  bool only_bytes = false;
  bool json = false;
  bool failing = false;
  bool everything = false;
  bool forgets = false;
  CLI::App app{
      "crashes, damage and failing calls against the log store and byte files, each held against a plain model"};
  auto* const seed = app.add_option("--seed", plan.seed, "one long history again; with --all the seed of everything");
  app.add_flag("--all", everything, "all proofs, though a seed is given");
  auto* const crashes = app.add_option("--crashes", plan.crashes, "at least so many")->capture_default_str();
  auto* const damages = app.add_option("--damage", plan.damages, "tries of damage")->capture_default_str();
  app.add_option("--scope", plan.scope, "letters of the exhaustive histories")->capture_default_str();
  app.add_option("--threads", plan.threads)->capture_default_str()->check(CLI::Range(1, 256));
  auto* const one = app.add_option("--word", word, "one history again: beginning:letters");
  app.add_option("--sizes", sizes, "of that history");
  app.add_option("--effort", effort, "of that history: lean or thorough");
  auto* const turns = app.add_option("--turns", turn_seed, "one life of turns again");
  auto* const damage = app.add_option("--damage-seed", damage_seed, "one damaged log again");
  app.add_flag("--failing-calls", failing, "only the failing calls");
  app.add_option("--bytes", plan.byte_crashes, "at least so many crashes of byte files")->capture_default_str();
  app.add_flag("--only-bytes", only_bytes, "byte files, without the log store");
  std::array<std::pair<char const*, CLI::Option*>, 3> byte_lives{
      {{"--byte-cuts", nullptr}, {"--byte-calls", nullptr}, {"--byte-life", nullptr}}};
  for (auto& [name, option] : byte_lives) option = app.add_option(name, byte_seed, "one life of byte files again");
  app.add_flag("--forget", forgets, "a failure is not added to failed_seeds.txt");
  app.add_flag("--json", json, "one line of JSON at the end instead of tables");
  CLI11_PARSE(app, count, words);

  if (one->count() > 0) return again(fmt::format("--word {} --sizes {} --effort {}", word, sizes, effort));
  if (damage->count() > 0)
    return again(fmt::format("--damage-seed {} --damage {}", damage_seed, damages->count() > 0 ? plan.damages : 200));
  if (turns->count() > 0) return again(fmt::format("--turns {}", turn_seed));
  if (failing) return again("--failing-calls");
  for (auto const& [name, option] : byte_lives)
    if (option->count() > 0) return again(fmt::format("{} {}", name, byte_seed));
  plan.log = !only_bytes;
  if (seed->count() > 0 && !everything && !only_bytes)
    return again(fmt::format("--seed {} --crashes {}", plan.seed, crashes->count() > 0 ? plan.crashes : 40));

  auto const begin = Clock::now();
  Teller teller(json);
  Outcome const outcome = run_campaign(
      plan, [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); }, std::ref(teller));
  teller.end();
  if (json) {
    print_json(plan, outcome);
  } else {
    print_table(outcome);
  }
  if (!outcome.failure) {
    if (!json)
      fmt::print("{} crashes and recoveries, {} damaged sectors, all noticed, {} failed calls: no violation\n",
                 outcome.sum.crashes, outcome.sum.damages, outcome.sum.failed_calls);
    return 0;
  }
  if (!forgets) keep(*outcome.failure);
  fmt::print(stderr, "{}\nagain: ./mk crash {}\n(kept in tests/crash/failed_seeds.txt)\n", outcome.failure->what,
             outcome.failure->again);
  return 1;
}
