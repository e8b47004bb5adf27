// The proofs of the log store, shared by `./mk crash` (millions), the unit tests
// (a slice of seconds) and `./mk mutants` (the test of these tests). Each proof
// tries until it is done or somebody says stop, counts what it tried, and tells
// the first thing that is wrong together with how to see it again.
//
//   short histories   every word of up to `scope` letters (scenario.h) from
//                     several beginnings, the power cut before each call of its
//                     last letter, with every subset of the unsynced sectors and
//                     names while these are few; recoveries are cut as well.
//   long histories    by seed: operations, cuts, kills, failing calls, cuts
//                     during recovery.
//   damage            any sector of what is durable and needed, damaged in one of
//                     several ways: the start must refuse, name file and offset,
//                     and change nothing.
//   failing calls     each call to the disk fails once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/crash/scenario.h"

namespace fastjournal::storage::test {

// How the simulated medium tears, and what the log believes a block is.
struct Sizes {
  std::size_t sector;
  std::size_t block;
  SyncMethod method{SyncMethod::fdatasync};
};
// Sectors as large as blocks, smaller (a block of 4 KiB may be torn), and so
// small that a header is torn: two copies with a sync between them stand that too.
inline constexpr Sizes kSizes[] = {{512, 512, SyncMethod::fdatasync},
                                   {512, 4096, SyncMethod::direct},
                                   {4096, 4096, SyncMethod::fdatasync},
                                   {64, 512, SyncMethod::direct}};

struct Tally {
  std::atomic<std::uint64_t> histories{0};
  std::atomic<std::uint64_t> crashes{0};  // each with its recovery, held against the model
  std::atomic<std::uint64_t> nested{0};   // of these, during a recovery
  std::atomic<std::uint64_t> damages{0};  // tries: sectors damaged and a start
  std::atomic<std::uint64_t> failed_calls{0};
};

struct Failure {
  std::string what;
  std::string again;  // words for fj_crash
};

struct Proof {
  Tally& tally;
  std::function<bool()> stop;  // asked often, from any thread
  [[nodiscard]] bool is_over() const { return stop && stop(); }
};

// How many subsets of many unsynced things, and how many recoveries that are cut.
enum class Effort : std::uint8_t { lean, thorough };
// One word, as `beginning:letters`, with kSizes[sizes].
[[nodiscard]] std::optional<Failure> short_history(Proof const& proof, std::string const& word, std::size_t sizes,
                                                   Effort effort);
// Words for short_history: each beginning with every word of `length` letters.
[[nodiscard]] std::vector<std::string> short_words(std::size_t length);
// Words that need more letters to become interesting: into the next container, around and over it.
[[nodiscard]] std::vector<std::string> chosen_words();

struct LongHistory {
  std::uint64_t seed{1};
  std::uint64_t crashes{40};
  std::optional<Sizes> sizes{};  // else by seed
  bool lying_syncs{false};       // the disk answers ok and does nothing: must be noticed
};
[[nodiscard]] std::optional<Failure> long_history(Proof const& proof, LongHistory const& history);

// A log made by seed, then `tries` damages to it.
[[nodiscard]] std::optional<Failure> damaged_sectors(Proof const& proof, std::uint64_t seed, std::uint64_t tries);

// Every call of one history fails once; `sites` gets the places in the code that were failed.
[[nodiscard]] std::optional<Failure> fail_every_call(Proof const& proof, std::set<void const*>& sites);

}  // namespace fastjournal::storage::test
