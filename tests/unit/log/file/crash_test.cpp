// Power cuts: at every call of every short history, exhaustively; at seeded places of long histories; and during
// recovery. The same with a disk that lies about syncs: the proofs must notice it, or they could not fail.
//
// FJ_SEED chooses the random histories, FJ_CRASHES the number of their crashes (default 4000), FJ_SCOPE the length of
// the exhaustive ones (default 1). This is a small part: `./mk crash` runs the same proofs millions of times.
#include <fstream>

#include "tests/crash/campaign.h"
#include "tests/crash/subsets.h"
#include "tests/unit/log/file/log_world.h"

namespace fastjournal::log::file::test {

namespace {

constexpr std::size_t kExhaustiveBits = 5;

LogOptions tiny_options() { return small_options(512, 6); }

// Begins a log with a few records, from which each short history starts.
void prepare(Scenario& scenario) {
  scenario.world.options = tiny_options();
  BOOST_REQUIRE(scenario.open());
  for (char const letter : {'p', 'g'}) BOOST_REQUIRE(scenario.step(letter));
}

void require_recovers(Scenario& scenario) {
  bool const ok = scenario.open();
  BOOST_REQUIRE_MESSAGE(ok, (scenario.status.ok() ? scenario.complaint : scenario.status.text()));
  // The log goes on: the next record survives the next power cut.
  BOOST_REQUIRE(scenario.step('p'));
  scenario.world.crash(sim::keep_none());
  bool const again = scenario.open();
  BOOST_REQUIRE_MESSAGE(again, (scenario.status.ok() ? scenario.complaint : scenario.status.text()));
}

// The text of a proof's failure, with the command that repeats it.
std::string told(std::optional<Failure> const& failure) {
  return failure ? failure->what + "; again: ./mk crash " + failure->again : std::string{};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(power_cuts)

BOOST_AUTO_TEST_CASE(durable_records_survive_a_cut_after_any_call_of_any_short_history) {
  std::uint64_t const scope = fastjournal::test::number_from("FJ_SCOPE", 1);
  Tally tally;
  Proof const proof{tally, {}};
  std::vector<std::string> words = chosen_words();
  for (std::size_t length = 1; length <= scope; ++length)
    for (std::string& word : short_words(length)) words.push_back(std::move(word));
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const failure = short_history(proof, words[i], i % std::size(kSizes), Effort::lean);
    BOOST_REQUIRE_MESSAGE(!failure, told(failure));
  }
  BOOST_TEST_MESSAGE(tally.histories << " histories, " << tally.crashes << " crashes, " << tally.nested
                                     << " during a recovery");
  BOOST_TEST(tally.crashes > 10'000U);
}

BOOST_AUTO_TEST_CASE(what_failed_once_fails_no_more) {
  std::ifstream seeds{FJ_SOURCE_DIR "/tests/crash/failed_seeds.txt"};
  BOOST_REQUIRE(seeds.is_open());
  for (std::string line; std::getline(seeds, line);) {
    if (line.empty() || line.front() == '#') continue;
    Tally tally;
    auto const failure = run_again(line, tally);
    BOOST_TEST(!failure, told(failure));
  }
}

BOOST_AUTO_TEST_CASE(a_new_log_may_be_cut_anywhere_while_it_is_made) {
  for (std::uint64_t stop = 0;; ++stop) {
    std::size_t choices = 1;
    bool finished = false;
    for (std::size_t choice = 0; choice < choices; ++choice) {
      Scenario scenario;
      scenario.world.options = tiny_options();
      scenario.world.disk.stop_after(stop);
      finished = scenario.open();
      auto const ways = subsets(scenario.world.disk.unsynced_things(), kExhaustiveBits);
      choices = ways.size();
      scenario.world.crash(ways[choice]);
      BOOST_TEST_INFO("cut after " << stop << " calls, subset " << choice);
      require_recovers(scenario);
    }
    if (finished) break;
  }
}

BOOST_AUTO_TEST_CASE(a_recovery_may_be_cut_anywhere) {
  // A torn tail over two segments, and a base that must be kept.
  auto const torn = [](Scenario& scenario) {
    prepare(scenario);
    for (char const letter : std::string_view("bbmbb")) BOOST_REQUIRE(scenario.step(letter));
    BOOST_REQUIRE(scenario.step('w') && scenario.step('w'));
    BOOST_REQUIRE(scenario.append(1300, 1, Durability::synced));
    scenario.world.disk.stop_after(1);
    BOOST_REQUIRE(!scenario.commit());
    scenario.world.crash([](std::size_t thing) { return thing % 2 == 0; });
  };
  for (std::uint64_t stop = 0;; ++stop) {
    std::size_t choices = 1;
    bool finished = false;
    for (std::size_t choice = 0; choice < choices; ++choice) {
      Scenario scenario;
      torn(scenario);
      scenario.world.disk.stop_after(stop);
      finished = scenario.open();
      BOOST_REQUIRE_MESSAGE(scenario.complaint.empty(), scenario.complaint);
      auto const ways = subsets(scenario.world.disk.unsynced_things(), kExhaustiveBits);
      choices = ways.size();
      scenario.world.crash(ways[choice]);
      BOOST_TEST_INFO("cut after " << stop << " calls, subset " << choice);
      require_recovers(scenario);
    }
    if (finished) break;
  }
}

BOOST_AUTO_TEST_CASE(long_histories_lose_nothing_acknowledged_and_bring_nothing_back) {
  std::uint64_t const seed = fastjournal::test::seed_or(1);
  std::uint64_t const crashes = fastjournal::test::number_from("FJ_CRASHES", 4000);
  Tally tally;
  Proof const proof{tally, {}};
  for (std::uint64_t run = 0; tally.crashes < crashes; ++run) {
    auto const failure = long_history(proof, {seed * 1'000'003 + run, 40, {}, false});
    BOOST_REQUIRE_MESSAGE(!failure, told(failure));
  }
}

BOOST_AUTO_TEST_CASE(lives_of_turns_lose_no_more_than_their_policy_says_and_free_what_a_sync_made_needless) {
  std::uint64_t const seed = fastjournal::test::seed_or(1);
  Tally tally;
  Proof const proof{tally, {}};
  for (std::uint64_t run = 0; tally.crashes < 2'000; ++run) {
    auto const failure = turn_life(proof, seed * 1'000'003 + run);
    BOOST_REQUIRE_MESSAGE(!failure, told(failure));
  }
}

BOOST_AUTO_TEST_CASE(a_disk_that_does_not_sync_is_noticed_by_these_tests) {
  Tally tally;
  Proof const proof{tally, {}};
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    noticed += long_history(proof, {seed, 10, Sizes{512, 512}, true}) ? 1 : 0;
  BOOST_TEST(noticed == 10);
}

BOOST_AUTO_TEST_CASE(a_segment_whose_name_was_never_synced_is_noticed_by_these_tests) {
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Scenario scenario;
    scenario.world.options = tiny_options();
    scenario.world.disk.ignore_folder_syncs(true);
    BOOST_REQUIRE(scenario.open());
    for (int i = 0; i < 10; ++i) BOOST_REQUIRE(scenario.step('b'));
    scenario.world.crash(sim::keep_some(seed));
    noticed += scenario.open() ? 0 : 1;
  }
  BOOST_TEST(noticed >= 9);
}

BOOST_AUTO_TEST_CASE(a_batch_that_survives_behind_a_torn_one_is_dropped_with_it_and_never_comes_back) {
  Scenario scenario;
  prepare(scenario);
  BOOST_REQUIRE(scenario.put(40, 1, Durability::written));
  BOOST_REQUIRE(scenario.put(40, 1, Durability::written));
  // The first of the two batches is lost, the second one survives.
  scenario.world.crash([](std::size_t thing) { return thing > 0; });
  BOOST_REQUIRE_MESSAGE(scenario.open(), scenario.complaint << scenario.status.text());
  BOOST_TEST(scenario.world.report.cut);
  BOOST_TEST(scenario.reference.size() == 2U);
  for (char const letter : std::string_view("pkpkpk")) BOOST_REQUIRE_MESSAGE(scenario.step(letter), scenario.complaint);
}

BOOST_AUTO_TEST_CASE(a_sync_that_failed_is_fatal_and_what_it_dropped_is_not_believed) {
  for (bool const killed : {false, true}) {
    Scenario scenario;
    prepare(scenario);
    scenario.world.disk.fail_call(sim::Call::sync, 1, sim::Failure::io_error);
    BOOST_REQUIRE(!scenario.step('p'));
    Status const error = scenario.world.log->commit();
    BOOST_CHECK(error.code() == Code::io_error);
    BOOST_TEST(error.message().find("sync data/log/container-") != std::string::npos);
    BOOST_TEST(!scenario.world.log->reserve(10, true));
    BOOST_CHECK(!scenario.world.log->shut_down().ok());
    // The record can be read from the kernel's cache, but is not on the medium. A start that reads it must make it
    // durable, or the next power cut takes it back.
    if (killed) BOOST_REQUIRE_MESSAGE(scenario.step('k'), scenario.complaint);
    scenario.world.crash(sim::keep_none());
    BOOST_REQUIRE_MESSAGE(scenario.open(), scenario.complaint);
    BOOST_TEST(scenario.world.found.entries.size() == (killed ? 5U : 4U));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
