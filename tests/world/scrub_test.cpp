// A disk that loses data, below the whole daemon. Scrubbing reports the damage, and the rows of the damaged place,
// which are still in memory, are written again, so that the next start finds them. Simulated disk and time.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <string>

#include "log/file/log_reader.h"
#include "tests/world/asking.h"

namespace fastjournal::sim::scrub_test {
namespace {

constexpr DurationMs kRound{3'600'000};
constexpr int kRows = 3000;

struct Scrubbed : Asking {
  Scrubbed() : Asking(1) {
    world.log_options.scrub_ms = static_cast<std::uint64_t>(kRound.value);
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    start();
    std::string const payload(500, 'p');
    for (int i = 0; i < kRows; ++i)
      BOOST_REQUIRE(
          ask("INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + payload).starts_with("INSERTED "));
  }
  // A segment that is full and needed as a whole.
  std::string an_old_segment() {
    Result<log::file::LogReader> reader = log::file::LogReader::open(world.disk(), "shared");
    BOOST_REQUIRE(reader.ok());
    std::map<std::uint64_t, std::string> by_generation;
    for (log::file::FoundSegment const& segment : reader->segments())
      if (segment.header.generation != 0 && segment.header.first > world.log().base_lsn() &&
          segment.header.end() < world.log().durable_lsn())
        by_generation.emplace(segment.header.generation, segment.path);
    BOOST_REQUIRE(!by_generation.empty());
    return by_generation.begin()->second;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(scrub)

BOOST_FIXTURE_TEST_CASE(rounds_come_in_their_time_and_cost_little, Scrubbed) {
  world.advance(DurationMs{1});
  std::int64_t const at_first = stat("log_scrubbed_bytes");
  BOOST_TEST(at_first <= 2LL << 20);
  // The first round began when the log was empty.
  world.advance(kRound);
  world.advance(DurationMs{1000});
  BOOST_TEST(stat("log_scrub_rounds") == 1);
  std::int64_t const before = stat("log_scrubbed_bytes");
  world.advance(kRound);
  BOOST_TEST(stat("log_scrub_rounds") == 2);
  BOOST_TEST(stat("log_scrubbed_bytes") - before >= static_cast<std::int64_t>(world.log().usage().logical_bytes / 2));
  BOOST_TEST(stat("log_damaged") == 0);
  BOOST_TEST(world.told().empty());
}

BOOST_FIXTURE_TEST_CASE(damage_is_told_and_what_it_hit_is_written_again_from_memory, Scrubbed) {
  std::string const file = an_old_segment();
  world.disk().flip(file, 100'000, 0x10);
  world.advance(kRound);
  world.advance(kRound);
  BOOST_REQUIRE(world.told().size() == 1);
  log::Alert const& alert = world.told().front().alert;
  BOOST_TEST(alert.name == "log-damaged");
  BOOST_TEST(alert.manual);
  BOOST_TEST(alert.message.find(file + " offset ") != std::string::npos, alert.message);
  BOOST_TEST(alert.message.find("backup") != std::string::npos);
  BOOST_TEST(stat("log_damaged") >= 1);

  BOOST_TEST(!world.log().describe().is_mending);
  std::uint64_t const digest = world.engine().digest();
  world.kill();
  start();
  BOOST_TEST(world.engine().digest() == digest);
  BOOST_TEST(ask("PEEK table=jobs;name=n" + std::to_string(kRows / 3)).starts_with("ROW "));
}

// Once the damage was told, its alert survives a power cut at that very moment.
BOOST_FIXTURE_TEST_CASE(damage_is_told_once_its_alert_is_durable, Scrubbed) {
  std::string const file = an_old_segment();
  world.disk().flip(file, 100'000, 0x10);
  for (int steps = 0; world.told().empty() && steps < 1'000'000; ++steps)
    if (!world.network().turn(world.clock().monotonic_us()))
      world.clock().advance(std::max<std::int64_t>(1, world.network().next_wake() - world.clock().monotonic_us()));
  BOOST_REQUIRE(world.told().size() == 1);
  world.power_cut();
  world.disk().flip(file, 100'000, 0x10);  // repaired: a start refuses damage that was not written again
  start();
  BOOST_TEST(ask("ALERTS").find("name=log-damaged") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(without_scrubbing_the_same_damage_stops_the_next_start, Scrubbed) {
  world.kill();
  world.log_options.scrub_ms = 0;
  start();
  world.disk().flip(an_old_segment(), 100'000, 0x10);
  world.advance(kRound);
  world.advance(kRound);
  BOOST_TEST(world.told().empty());
  BOOST_TEST(stat("log_scrubbed_bytes") == 0);
  world.kill();
  BOOST_CHECK(world.start().code() == Code::damaged);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::scrub_test
