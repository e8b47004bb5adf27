// Queue tables keep their promises through kills and power cuts (queue_life.h). FJ_SEED chooses the first life, FJ_PLAYS
// how many.
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/world/queue_life.h"

namespace fastjournal::sim {

BOOST_AUTO_TEST_SUITE(queue_crashes)

BOOST_AUTO_TEST_CASE(messages_go_around_and_none_is_lost_or_doubled) {
  std::uint64_t const seed = test::seed_or(1);
  std::uint64_t moves = 0;
  std::uint64_t crashes = 0;
  for (std::uint64_t life = 0; life < test::number_from("FJ_PLAYS", 20); ++life) {
    QueueLifeResult const result = live_with_queues(seed + life, 300);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << " FJ_PLAYS=1: " << result.wrong);
    moves += result.moves;
    crashes += result.crashes;
  }
  BOOST_TEST_MESSAGE(moves << " moves, " << crashes << " ends");
  BOOST_TEST(moves > 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim
