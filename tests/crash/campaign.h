// All proofs of proofs.h, one after the other, on several threads. `./mk crash` runs them for minutes, each planted
// fault for a second, the unit tests a part of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/crash/proofs.h"

namespace fastjournal::log::file::test {

struct Plan {
  std::uint64_t seed{1};
  std::size_t scope{3};              // letters of the exhaustive histories, at most
  Effort effort{Effort::thorough};   // of the shortest histories and the chosen ones
  std::uint64_t crashes{2'000'000};  // at least; long histories go on until then
  std::uint64_t turn_lives{2'000};
  std::uint64_t damages{100'000};
  std::uint64_t byte_crashes{100'000};  // at least, of byte files; 0: these are left out
  bool log{true};                       // false: only byte files
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
  std::vector<Phase> phases;  // those that ran; if one failed, it is the last
  std::optional<Failure> failure;
  Phase sum;
};

// Returns the seconds since the begin; the caller owns the clock.
using Stopwatch = std::function<double()>;
// Called now and then from any thread, by one at a time, with the counts of this phase.
using Progress = std::function<void(Phase const&)>;

[[nodiscard]] Outcome run_campaign(Plan const& plan, Stopwatch const& stopwatch, Progress const& progress);

// `words`: a line of failed_seeds.txt, as in `Failure::again`. Returns the failure if it still fails.
[[nodiscard]] std::optional<Failure> run_again(std::string const& words, Tally& tally);

}  // namespace fastjournal::log::file::test
