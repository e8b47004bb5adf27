// Random lives of a table are as the reference says (life.h). FJ_SEED chooses the first, FJ_LIVES how many.
#include "tests/support/play_lives.h"
#include "tests/unit/pipeline/life.h"

namespace fastjournal::pipeline::test {

BOOST_AUTO_TEST_SUITE(pipeline_model)

BOOST_AUTO_TEST_CASE(random_lives_are_as_the_reference_says) {
  auto counts = fastjournal::test::play_lives(20261127, 120, [](std::uint64_t seed) { return live(seed, 1'500); });
  BOOST_TEST(counts["pages of ended documents"] > counts["steps"] / 375);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
