// The proofs of the log store and of byte files, shared by `./mk crash` (millions of tries), the unit tests (a part that
// takes seconds) and `./mk mutants` (the test of these tests). Each proof runs until it is done or told to stop, counts its tries, and
// reports the first violation together with the way to repeat it.
//
//   short histories   every word of up to `scope` letters (scenario.h) from several beginnings, with the power cut
//                     before each call of its last letter and every subset of the unsynced sectors and names while
//                     these are few; recoveries are cut as well.
//   long histories    by seed: operations, cuts, kills, failing calls, cuts during recovery.
//   lives of turns    by seed: turns at simulated times with each sync policy, also with syncs on a thread, and how old
//                     what a power cut takes may be.
//   damage            any sector of data that is durable and needed is damaged in one of several ways: the start
//                     must refuse, name file and offset, and change nothing.
//   failing calls     each call to the disk fails once.
//   byte files        short lives of bytes outside the log with the power cut before each changing call of the disk,
//                     the same with each call failing once, and long lives, all by seed.
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

namespace fastjournal::log::file::test {

// The size of the sectors by which the simulated medium tears writes, and the log's block size, in bytes.
struct Sizes {
  std::size_t sector;
  std::size_t block;
  SyncMethod method{SyncMethod::fdatasync};
};
// Sectors as large as blocks, smaller (a block of 4 KiB may be torn), and so small that a header may be torn: its two
// copies, with a sync between them, survive that too.
inline constexpr Sizes kSizes[] = {{512, 512, SyncMethod::fdatasync},
                                   {512, 4096, SyncMethod::direct},
                                   {4096, 4096, SyncMethod::fdatasync},
                                   {64, 512, SyncMethod::direct}};

struct Tally {
  std::atomic<std::uint64_t> histories{0};
  std::atomic<std::uint64_t> crashes{0};  // each with its recovery and comparison
  std::atomic<std::uint64_t> nested{0};   // those among them that were during a recovery
  std::atomic<std::uint64_t> damages{0};  // tries: a damage and a start
  std::atomic<std::uint64_t> failed_calls{0};
};

struct Failure {
  std::string what;
  std::string again;  // arguments of fj_crash
};

struct Proof {
  Tally& tally;
  std::function<bool()> stop;  // called often, from any thread
  [[nodiscard]] bool is_over() const { return stop && stop(); }
};

// How many subsets are tried where many things are unsynced, and how many recoveries are cut.
enum class Effort : std::uint8_t { lean, thorough };
// One word, as `beginning:letters`, with kSizes[sizes].
[[nodiscard]] std::optional<Failure> short_history(Proof const& proof, std::string const& word, std::size_t sizes,
                                                   Effort effort);
// Words for short_history: each beginning with each word of `length` letters.
[[nodiscard]] std::vector<std::string> short_words(std::size_t length);
// Longer words that reach interesting states: into the next segment, and round all segments.
[[nodiscard]] std::vector<std::string> chosen_words();

struct LongHistory {
  std::uint64_t seed{1};
  std::uint64_t crashes{40};
  std::optional<Sizes> sizes{};  // otherwise drawn from the seed
  bool lying_syncs{false};       // syncs return ok and do nothing: this must be noticed
};
[[nodiscard]] std::optional<Failure> long_history(Proof const& proof, LongHistory const& history);

// A log that is driven by turns at simulated times, with each sync policy.
[[nodiscard]] std::optional<Failure> turn_life(Proof const& proof, std::uint64_t seed);

// Makes a log by seed, then tries `tries` damages.
[[nodiscard]] std::optional<Failure> damaged_sectors(Proof const& proof, std::uint64_t seed, std::uint64_t tries);

// Every call of each history fails once; `sites` gets the return addresses of these calls.
[[nodiscard]] std::optional<Failure> fail_every_call(Proof const& proof, std::set<void const*>& sites);

// Bytes outside the log, each by seed (byte_lives.cpp): a short life that is cut before each changing call of the disk,
// the same life with each call failing once, and a long one.
[[nodiscard]] std::optional<Failure> cut_byte_life(Proof const& proof, std::uint64_t seed);
[[nodiscard]] std::optional<Failure> fail_byte_calls(Proof const& proof, std::uint64_t seed);
[[nodiscard]] std::optional<Failure> long_byte_life(Proof const& proof, std::uint64_t seed);

}  // namespace fastjournal::log::file::test
