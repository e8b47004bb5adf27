// Queue tables keep their promises through kills and power cuts (queue_life.h). FJ_SEED chooses the first life, FJ_PLAYS
// how many.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/support/seed.h"
#include "tests/world/queue_life.h"
#include "tests/world/world.h"

namespace fastjournal::sim::queue_crashes_test {

BOOST_AUTO_TEST_SUITE(queue_crashes)

BOOST_AUTO_TEST_CASE(messages_go_around_and_none_is_lost_or_doubled) {
  std::uint64_t const seed = test::seed_or(1);
  std::uint64_t moves = 0;
  std::uint64_t crashes = 0;
  std::uint64_t kicked = 0;
  for (std::uint64_t life = 0; life < test::number_from("FJ_PLAYS", 20); ++life) {
    QueueLifeResult const result = live_with_queues(seed + life, 300);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << " FJ_PLAYS=1: " << result.wrong);
    moves += result.moves;
    crashes += result.crashes;
    kicked += result.kicked;
  }
  BOOST_TEST_MESSAGE(moves << " moves, " << crashes << " ends, " << kicked << " leases taken back");
  BOOST_TEST(moves > 0U);
  BOOST_TEST(kicked > 0U);
}

// What is taken at most once is freed when it is handed out, and read from its file after that.
BOOST_AUTO_TEST_CASE(a_large_body_is_whole_when_its_message_is_gone_with_the_answer) {
  std::uint64_t const seed = test::seed_or(1);
  for (std::uint64_t round = 0; round < 30; ++round) {
    World world{seed + round};
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/post.xml").ok());
    BOOST_REQUIRE(world.start().ok());
    std::string const body(300'000 + round, static_cast<char>('a' + round % 26));
    world.send("main", "SEND table=post;queue=orders;body=" + body);
    world.settle();
    BOOST_REQUIRE(world.take_line("main").value_or("").starts_with("SENT"));
    world.send("main", "ACQUIRE table=post;queue=orders;accept=1");
    for (int i = 0; i < 4; ++i) world.send("other", "QUEUES table=post");
    world.settle();
    BOOST_TEST((world.take_line("main").value_or("").find(body) != std::string::npos), "FJ_SEED=" << seed + round);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::queue_crashes_test
