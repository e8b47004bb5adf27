// Pipeline tables keep their promises through kills and power cuts (pipeline_life.cpp).
#include "tests/support/play_lives.h"
#include "tests/world/lives.h"

namespace fastjournal::sim::pipeline_crashes_test {

BOOST_AUTO_TEST_SUITE(pipeline_crashes)

BOOST_AUTO_TEST_CASE(documents_arrive_as_their_guarantees_say) {
  test::Counts counts = test::play_lives(1, 20, [](std::uint64_t seed) { return live_with_pipelines(seed, 300); });
  BOOST_TEST(counts["deliveries"] > 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::pipeline_crashes_test
