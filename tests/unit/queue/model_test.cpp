// Random lives of a table are as the reference says (life.h). FJ_SEED chooses the first, FJ_LIVES how many.
#include "tests/support/play_lives.h"
#include "tests/unit/queue/life.h"

namespace fastjournal::queue::test {

BOOST_AUTO_TEST_SUITE(queue_model)

BOOST_AUTO_TEST_CASE(random_lives_are_as_the_reference_says) {
  fastjournal::test::play_lives(20261125, 120, [](std::uint64_t seed) { return live(seed, 1'500); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue::test
