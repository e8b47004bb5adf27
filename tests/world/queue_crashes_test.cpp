// Queue tables keep their promises through kills and power cuts (queue_life.cpp). FJ_SEED chooses the first life, FJ_LIVES
// how many.
#include <string>

#include "tests/support/play_lives.h"
#include "tests/world/lives.h"
#include "tests/world/world.h"

namespace fastjournal::sim::queue_crashes_test {

BOOST_AUTO_TEST_SUITE(queue_crashes)

BOOST_AUTO_TEST_CASE(messages_go_around_and_none_is_lost_or_doubled) {
  test::Counts counts = test::play_lives(1, 20, [](std::uint64_t seed) { return live_with_queues(seed, 300); });
  BOOST_TEST(counts["moves"] > 0U);
  BOOST_TEST(counts["leases taken back"] > 0U);
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
