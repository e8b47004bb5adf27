// Power cuts: every place of every short history exhaustively, long histories
// by seed, cuts during recovery, and the same with a disk that lies, which
// must be noticed or these tests could not fail.
//
// FJ_SEED chooses the random histories, FJ_CRASHES how many crashes they have
// (default 2000), FJ_SCOPE how long the exhaustive ones are (default 2).
#include <functional>
#include <random>

#include "tests/unit/storage/reference.h"

namespace fastjournal::storage::test {

namespace {

constexpr std::uint64_t kExhaustiveBits = 5;

// Every subset of few things; of many: all, none, all but one, only one, and some.
std::vector<sim::Chooser> subsets(std::size_t things) {
  std::vector<sim::Chooser> out;
  if (things <= kExhaustiveBits) {
    for (std::uint64_t mask = 0; mask < (1ULL << things); ++mask) out.push_back(sim::keep_mask(mask));
    return out;
  }
  out.push_back(sim::keep_all());
  out.push_back(sim::keep_none());
  for (std::size_t one = 0; one < things; ++one) {
    out.push_back([one](std::size_t thing) { return thing == one; });
    out.push_back([one](std::size_t thing) { return thing != one; });
  }
  for (std::uint64_t seed = 0; seed < 4; ++seed) out.push_back(sim::keep_some(seed));
  return out;
}

LogOptions tiny_options() { return small_options(512, 6); }

using Image = std::map<std::string, std::vector<std::byte>, std::less<>>;

// A log with a few records, closed: what each short history starts from.
void prepare(Scenario& scenario) {
  scenario.world.options = tiny_options();
  BOOST_REQUIRE(scenario.open());
  for (char const letter : {'p', 'g'}) BOOST_REQUIRE(scenario.step(letter));
}

// Runs the steps until the power is gone after `stop` changing calls.
void run_until(Scenario& scenario, std::string_view steps, std::uint64_t stop) {
  scenario.world.disk.stop_after(stop);
  for (char const letter : steps)
    if (!scenario.step(letter)) return;
}

void require_recovers(Scenario& scenario) {
  bool const ok = scenario.open();
  BOOST_REQUIRE_MESSAGE(ok, (scenario.status.ok() ? scenario.complaint : scenario.status.text()));
  // And goes on: the next record is there after the next cut.
  BOOST_REQUIRE(scenario.step('p'));
  scenario.world.crash(sim::keep_none());
  bool const again = scenario.open();
  BOOST_REQUIRE_MESSAGE(again, (scenario.status.ok() ? scenario.complaint : scenario.status.text()));
}

void cut_everywhere(std::string_view steps) {
  std::uint64_t calls = 0;
  {
    Scenario scenario;
    prepare(scenario);
    std::uint64_t const before = scenario.world.disk.changing_calls();
    for (char const letter : steps)
      BOOST_REQUIRE_MESSAGE(scenario.step(letter), steps << ": " << scenario.complaint << scenario.status.text());
    calls = scenario.world.disk.changing_calls() - before;
  }
  for (std::uint64_t stop = 0; stop <= calls; ++stop) {
    std::size_t choices = 1;
    for (std::size_t choice = 0; choice < choices; ++choice) {
      Scenario scenario;
      prepare(scenario);
      run_until(scenario, steps, stop);
      BOOST_REQUIRE_MESSAGE(scenario.complaint.empty(), scenario.complaint);
      auto const ways = subsets(scenario.world.disk.unsynced_things());
      choices = ways.size();
      scenario.world.crash(ways[choice]);
      BOOST_TEST_INFO("steps " << steps << ", cut after " << stop << " calls, subset " << choice);
      require_recovers(scenario);
    }
  }
}

void each_history(std::size_t length, std::string const& steps, std::function<void(std::string const&)> const& run) {
  if (steps.size() == length) {
    run(steps);
    return;
  }
  for (char const letter : Scenario::kSteps) each_history(length, steps + letter, run);
}

// One random history. Empty, or what went wrong.
std::string random_history(std::uint64_t seed, std::uint64_t crashes, std::size_t sector, std::size_t block,
                           bool lying_syncs) {
  std::mt19937_64 random(seed);
  auto const below = [&](std::uint64_t limit) { return random() % limit; };
  Scenario scenario(sim::SimDisk::Options{sector, 1ULL << 40U});
  scenario.world.options = small_options(block, 6 + below(20));
  scenario.world.disk.ignore_syncs(lying_syncs);
  if (!scenario.open()) return scenario.status.text() + scenario.complaint;
  for (std::uint64_t crash = 0; crash < crashes; ++crash) {
    scenario.world.disk.stop_after(1 + below(60));
    while (!scenario.world.disk.is_stopped()) {
      std::uint64_t const what = below(100);
      bool ok = true;
      if (what < 50) {
        ok = scenario.put(below(below(20) == 0 ? 6000 : 500), 1 + static_cast<int>(below(4)),
                          below(4) == 0 ? Promise::written : Promise::synced);
      } else if (what < 80 && scenario.reference.size() > 4) {
        scenario.move_base(scenario.reference.lsn_of(scenario.reference.size() - 1 - below(4)));
      } else {
        ok = scenario.step(Scenario::kSteps[below(Scenario::kSteps.size())]);
      }
      if (!scenario.complaint.empty()) return scenario.complaint;
      if (!ok && !scenario.world.disk.is_stopped())
        return scenario.status.text() + scenario.world.log->last_refusal().text();
      if (!ok) break;
      if (scenario.world.log != nullptr && below(3) == 0) scenario.world.log->run_chores();
    }
    scenario.world.crash(sim::keep_some(random()));
    // The recovery is cut as well, now and then twice.
    for (std::uint64_t again = below(3); again > 0; --again) {
      scenario.world.disk.stop_after(below(20));
      if (scenario.open()) break;
      if (!scenario.complaint.empty()) return scenario.complaint;
      scenario.world.crash(sim::keep_some(random()));
    }
    if (scenario.world.log == nullptr && !scenario.open())
      return fmt::format("crash {}: {}{}", crash, scenario.status.text(), scenario.complaint);
    // Disk: the spares, and what stands between base and end; a start may leave a container half full.
    scenario.world.disk.stop_after(1U << 30U);
    if (!scenario.reference.is_empty()) scenario.move_base(scenario.reference.last_lsn());
    scenario.world.log->run_chores();
    core::LogUsage const usage = scenario.world.log->usage();
    std::uint32_t const used = usage.containers - usage.containers_free;
    std::uint64_t const payload = scenario.world.options.container_bytes - 2 * block;
    if (usage.containers_free > FileLog::kSpares + 1) return fmt::format("{} spare containers", usage.containers_free);
    if (used > 3 + (4 * 6000) / payload + 1) return fmt::format("{} containers for one record", used);
    if (scenario.world.disk.used_bytes() != usage.disk_bytes) return "files are there that the log does not count";
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(power_cuts)

BOOST_AUTO_TEST_CASE(durable_records_survive_a_cut_after_any_call_of_any_short_history) {
  std::uint64_t const scope = environment("FJ_SCOPE", 2);
  for (std::size_t length = 1; length <= scope; ++length)
    each_history(length, "", [](std::string const& steps) { cut_everywhere(steps); });
  // Histories that need more steps to become interesting: into the next container, around and over it.
  for (std::string_view const steps : {"bbmbb", "wwwwwwp", "bdbdb", "mcbcmcb", "wbkbw", "bbbmqbp"})
    cut_everywhere(steps);
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
      auto const ways = subsets(scenario.world.disk.unsynced_things());
      choices = ways.size();
      scenario.world.crash(ways[choice]);
      BOOST_TEST_INFO("cut after " << stop << " calls, subset " << choice);
      require_recovers(scenario);
    }
    if (finished) break;
  }
}

BOOST_AUTO_TEST_CASE(a_recovery_may_be_cut_anywhere) {
  // A torn tail over two containers, and a base to keep.
  auto const torn = [](Scenario& scenario) {
    prepare(scenario);
    for (char const letter : std::string_view("bbmbb")) BOOST_REQUIRE(scenario.step(letter));
    BOOST_REQUIRE(scenario.step('w') && scenario.step('w'));
    BOOST_REQUIRE(scenario.append(1300, 1, Promise::synced));
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
      auto const ways = subsets(scenario.world.disk.unsynced_things());
      choices = ways.size();
      scenario.world.crash(ways[choice]);
      BOOST_TEST_INFO("cut after " << stop << " calls, subset " << choice);
      require_recovers(scenario);
    }
    if (finished) break;
  }
}

BOOST_AUTO_TEST_CASE(long_histories_lose_nothing_acknowledged_and_bring_nothing_back) {
  std::uint64_t const seed = environment("FJ_SEED", 1);
  std::uint64_t const crashes = environment("FJ_CRASHES", 2000);
  for (std::uint64_t run = 0; run * 40 < crashes; ++run) {
    std::uint64_t const this_seed = seed * 1'000'003 + run;
    // Sectors as large as blocks, smaller (a block of 4 KiB may be torn), and so
    // small that a header is torn: two copies with a sync between them stand that too.
    struct Sizes {
      std::size_t sector;
      std::size_t block;
    };
    constexpr Sizes kSizes[] = {{512, 512}, {4096, 4096}, {512, 4096}, {64, 512}};
    Sizes const sizes = kSizes[run % 4];
    std::string const complaint = random_history(this_seed, 40, sizes.sector, sizes.block, false);
    BOOST_REQUIRE_MESSAGE(complaint.empty(), "FJ_SEED=" << seed << " run " << run << ": " << complaint);
  }
}

BOOST_AUTO_TEST_CASE(a_disk_that_does_not_sync_is_noticed_by_these_tests) {
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) noticed += random_history(seed, 10, 512, 512, true).empty() ? 0 : 1;
  BOOST_TEST(noticed == 10);
}

BOOST_AUTO_TEST_CASE(a_container_whose_name_was_never_synced_is_noticed_by_these_tests) {
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
  BOOST_REQUIRE(scenario.put(40, 1, Promise::written));
  BOOST_REQUIRE(scenario.put(40, 1, Promise::written));
  // The first of the two is lost, the second stays.
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
    BOOST_CHECK(!scenario.world.log->seal().ok());
    // The record can be read, though the medium has it not. A start that finds
    // it and counts it must make it durable, or the next cut takes it back.
    if (killed) BOOST_REQUIRE_MESSAGE(scenario.step('k'), scenario.complaint);
    scenario.world.crash(sim::keep_none());
    BOOST_REQUIRE_MESSAGE(scenario.open(), scenario.complaint);
    BOOST_TEST(scenario.world.found.entries.size() == (killed ? 5U : 4U));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::storage::test
