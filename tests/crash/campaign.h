// All proofs of proofs.h one after the other on several threads: what `./mk
// crash` runs for minutes, the mutants for a second each, and the tests in a slice.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/crash/proofs.h"

namespace fastjournal::storage::test {

struct Plan {
  std::uint64_t seed{1};
  std::size_t scope{3};              // letters of the exhaustive histories
  Effort effort{Effort::thorough};   // with the shortest and the chosen ones
  std::uint64_t crashes{2'000'000};  // at least; long histories go on until there are as many
  std::uint64_t damages{100'000};
  unsigned threads{2};
};

struct Phase {
  std::string name;
  std::uint64_t histories{0};
  std::uint64_t crashes{0};
  std::uint64_t nested{0};
  std::uint64_t damages{0};
  std::uint64_t failed_calls{0};
  double seconds{0};

  [[nodiscard]] std::uint64_t tries() const { return crashes + damages + failed_calls; }
};

struct Outcome {
  std::vector<Phase> phases;  // those that ran; the last one failed, if any did
  std::optional<Failure> failure;
  Phase sum;
};

// Gives the seconds since the begin; the caller owns the clock.
using Stopwatch = std::function<double()>;
// Called now and then from some thread, one at a time, with what was tried in this phase.
using Progress = std::function<void(Phase const&)>;

[[nodiscard]] Outcome run_campaign(Plan const& plan, Stopwatch const& stopwatch, Progress const& progress);

// A line of failed_seeds.txt, as `Failure::again` gives it. The failure if it still fails.
[[nodiscard]] std::optional<Failure> run_again(std::string const& words, Tally& tally);

}  // namespace fastjournal::storage::test
