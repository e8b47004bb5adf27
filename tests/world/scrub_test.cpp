// A disk that forgets, beneath the whole daemon: what scrubbing finds is told, and the rows of the damaged
// place, which are still in memory, are written again, so that the next start finds them. Simulated disk and time.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <string>

#include "tests/world/world.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::sim;

constexpr DurationMs kRound{3'600'000};
constexpr int kRows = 3000;

struct Scrubbed {
  Scrubbed() {
    world.log_options.scrub_ms = static_cast<std::uint64_t>(kRound.value);
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    start();
    std::string const payload(500, 'p');
    for (int i = 0; i < kRows; ++i)
      BOOST_REQUIRE(
          ask("INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + payload).starts_with("INSERTED "));
  }
  void start() {
    Status const status = world.start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  }
  std::string ask(std::string const& line) {
    world.send("main", line);
    world.settle();
    return world.take_line("main").value_or("(nothing)");
  }
  std::string stat(std::string const& name) {
    std::string const all = ask("STATS");
    while (world.take_line("main")) {
    }
    std::size_t const at = all.find(";" + name + "=") + name.size() + 2;
    return all.substr(at, all.find(';', at) - at);
  }
  // Full, and all of it needed.
  std::string an_old_container() {
    Result<storage::LogReader> reader = storage::LogReader::open(world.disk(), "shared");
    BOOST_REQUIRE(reader.ok());
    std::map<std::uint64_t, std::string> by_lap;
    for (storage::FoundContainer const& container : reader->containers())
      if (container.header.lap != 0 && container.header.first > world.log().base_lsn() &&
          container.header.end() < world.log().durable_lsn())
        by_lap.emplace(container.header.lap, container.path);
    BOOST_REQUIRE(!by_lap.empty());
    return by_lap.begin()->second;
  }
  World world{1};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(scrub_of_the_daemon)

BOOST_FIXTURE_TEST_CASE(rounds_come_in_their_time_and_cost_little, Scrubbed) {
  world.advance(DurationMs{1});
  std::string const at_first = stat("log_scrubbed_bytes");
  BOOST_TEST(std::stoull(at_first) <= 2U << 20U);
  // The first round began before there was anything.
  world.advance(kRound);
  world.advance(DurationMs{1000});
  BOOST_TEST(stat("log_scrub_rounds") == "1");
  std::uint64_t const before = std::stoull(stat("log_scrubbed_bytes"));
  world.advance(kRound);
  BOOST_TEST(stat("log_scrub_rounds") == "2");
  BOOST_TEST(std::stoull(stat("log_scrubbed_bytes")) - before >= world.log().usage().logical_bytes / 2);
  BOOST_TEST(stat("log_damaged") == "0");
  BOOST_TEST(world.told().empty());
}

BOOST_FIXTURE_TEST_CASE(damage_is_told_and_what_it_hit_is_written_again_from_memory, Scrubbed) {
  std::string const file = an_old_container();
  world.disk().flip(file, 100'000, 0x10);
  world.advance(kRound);
  world.advance(kRound);
  BOOST_REQUIRE(world.told().size() == 1);
  core::Alert const& alert = world.told().front().alert;
  BOOST_TEST(alert.name == "log-damaged");
  BOOST_TEST(alert.manual);
  BOOST_TEST(alert.message.find(file + " offset ") != std::string::npos, alert.message);
  BOOST_TEST(alert.message.find("backup") != std::string::npos);
  BOOST_TEST(std::stoi(stat("log_damaged")) >= 1);

  BOOST_TEST(!world.log().is_damaged());
  std::uint64_t const digest = world.engine().digest();
  world.kill();
  start();
  BOOST_TEST(world.engine().digest() == digest);
  BOOST_TEST(ask("PEEK table=jobs;name=n" + std::to_string(kRows / 3)).starts_with("ROW "));
}

// Whoever was told of damage finds the alert after a power cut in that very moment.
BOOST_FIXTURE_TEST_CASE(damage_is_told_once_its_alert_is_durable, Scrubbed) {
  std::string const file = an_old_container();
  world.disk().flip(file, 100'000, 0x10);
  for (int steps = 0; world.told().empty() && steps < 1'000'000; ++steps)
    if (!world.network().turn(world.clock().monotonic_us()))
      world.clock().advance(std::max<std::int64_t>(1, world.network().next_wake() - world.clock().monotonic_us()));
  BOOST_REQUIRE(world.told().size() == 1);
  world.power_cut();
  world.disk().flip(file, 100'000, 0x10);  // as it was: a start refuses damage that is not mended yet
  start();
  BOOST_TEST(ask("ALERTS").find("name=log-damaged") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(without_scrubbing_the_same_damage_stops_the_next_start, Scrubbed) {
  world.kill();
  world.log_options.scrub_ms = 0;
  start();
  world.disk().flip(an_old_container(), 100'000, 0x10);
  world.advance(kRound);
  world.advance(kRound);
  BOOST_TEST(world.told().empty());
  BOOST_TEST(stat("log_scrubbed_bytes") == "0");
  world.kill();
  BOOST_CHECK(world.start().code() == Code::damaged);
}

BOOST_AUTO_TEST_SUITE_END()
