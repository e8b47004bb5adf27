// Random lives of a table are as the reference says (life.h). FJ_SEED chooses the first, FJ_LIVES how many.
#include "tests/support/play_lives.h"
#include "tests/unit/keyvalue/life.h"

namespace fastjournal::keyvalue::test {

BOOST_AUTO_TEST_SUITE(keyvalue_model)

BOOST_AUTO_TEST_CASE(random_lives_are_as_the_reference_says) {
  fastjournal::test::play_lives(20261123, 120, [](std::uint64_t seed) { return live(seed, 1'500); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::keyvalue::test
