// fj_sim_run: random lives of a daemon in the simulator, for a given time (lives.h), or of what an option names: compared
// with the reference model (tests/model), tables alone beside their reference (tests/unit/TYPE/life.h) and in a daemon that
// is killed, and so on. A failure prints its seed and step; the same seed plays the same life again.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "tests/model/life.h"
#include "tests/unit/keyvalue/life.h"
#include "tests/unit/pipeline/life.h"
#include "tests/unit/queue/life.h"
#include "tests/world/lives.h"
#include "tests/world/server_subject.h"

namespace fastjournal::sim {
namespace {

// Lives of one sort, of as many steps as are asked for, divided by `shorter`, as some steps take longer.
struct Part {
  char const* name;
  test::LifeResult (*live)(std::uint64_t seed, std::uint64_t steps);
  std::uint64_t shorter{1};
  test::Counts counts{};
};
// What one option plays: of each seed a life of each part.
struct Kind {
  char const* option;
  char const* what;
  std::vector<Part> parts;
};

std::vector<Kind> kinds() {
  return {
      {"", "", {{"a daemon", [](std::uint64_t seed, std::uint64_t steps) { return play(seed, steps); }}}},
      {"--model",
       "hold every answer against the reference model",
       {{"a daemon beside the model",
         [](std::uint64_t seed, std::uint64_t steps) { return reference::live(seed, steps, make_server); }}}},
      {"--spool", "producers, forwarder and daemon together", {{"a spool folder", live_with_spool}}},
      {"--keyvalue",
       "key/value tables",
       {{"a table alone", keyvalue::test::live}, {"a table in a daemon", live_with_values, 4}}},
      {"--bytes",
       "bytes outside the log: blobs, and a journal that spills",
       {{"tables in a daemon", live_with_bytes, 5}, {"files exchanged", live_with_exchanges, 40}}},
      {"--transactions",
       "transactions over journals, key/value tables and queues",
       {{"tables in a daemon", live_with_transactions, 5},
        {"beside the reference", model_transactions, 5},
        {"cuts of commits", cut_commits, 10}}},
      {"--queue", "queue tables", {{"a table alone", queue::test::live}, {"a table in a daemon", live_with_queues, 4}}},
      {"--pipeline",
       "pipeline tables",
       {{"a table alone", pipeline::test::live}, {"a table in a daemon", live_with_pipelines, 4}}},
  };
}

struct Asked {
  std::uint64_t seed{0};
  bool is_one{false};  // only the given seed
  std::uint64_t steps{2000};
  double seconds{60};
};

int run(Asked asked, Kind kind) {
  auto const start = std::chrono::steady_clock::now();
  bool const is_terminal = ::isatty(1) == 1;
  char const* const again = is_terminal ? "\r" : "";
  std::uint64_t lives = 0;
  std::uint64_t steps = 0;
  double elapsed = 0;
  double told = 0;  // percent
  for (; lives == 0 || (!asked.is_one && elapsed < asked.seconds); ++lives, ++asked.seed) {
    for (Part& part : kind.parts) {
      test::LifeResult const result = part.live(asked.seed, asked.steps / part.shorter);
      if (!result.wrong.empty()) {
        fmt::print("{}seed {}, {}, {}\nagain: ./mk sim {} --seed {} --steps {}\n", again, asked.seed, part.name,
                   result.wrong, kind.option, asked.seed, asked.steps);
        return 1;
      }
      test::add(part.counts, result.counts);
      steps += result.counts.at("steps");
    }
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    // If the output is not a terminal, a line for each tenth of the time.
    if (double const done = asked.is_one ? 100 : elapsed / asked.seconds * 100; is_terminal || done >= told + 10) {
      fmt::print("{}{:3.0f} % {} lives, {} steps{}", again, done, lives + 1, steps, is_terminal ? "" : "\n");
      std::fflush(stdout);
      told = done;
    }
  }
  fmt::print("{}{} lives, the last of seed {}: {} steps in {:.0f} s; no promise broken\n", again, lives, asked.seed - 1,
             steps, elapsed);
  for (Part const& part : kind.parts) {
    fmt::print("{}:\n", part.name);
    for (auto const& [what, count] : part.counts) fmt::print("{:12} {}\n", count, what);
  }
  return 0;
}

int main(int count, char** words) {
  Asked asked;
  std::vector<Kind> const all = kinds();
  Kind const* kind = &all.front();
  CLI::App app{"random lives of a daemon in the simulator, with crashes"};
  auto* const one =
      app.add_option("--seed", asked.seed, "play this life only; with --seconds the first one. Default: from chance");
  app.add_option("--steps", asked.steps, "of one life")->capture_default_str();
  auto* const seconds =
      app.add_option("--seconds", asked.seconds, "lives one after the other, for this time")->capture_default_str();
  auto* const which = app.add_option_group("kind");
  which->require_option(0, 1);
  for (Kind const& other : all)
    if (*other.option != '\0')
      which->add_flag_callback(
          other.option, [&kind, &other] { kind = &other; }, other.what);
  CLI11_PARSE(app, count, words);
  asked.is_one = one->count() != 0 && seconds->count() == 0;
  if (one->count() == 0) asked.seed = std::random_device{}();
  return run(asked, *kind);
}

}  // namespace
}  // namespace fastjournal::sim

int main(int count, char** words) { return fastjournal::sim::main(count, words); }
