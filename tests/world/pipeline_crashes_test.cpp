// Pipeline tables keep their promises through kills and power cuts (pipeline_life.h). FJ_SEED chooses the first life,
// FJ_PLAYS how many.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/support/seed.h"
#include "tests/world/pipeline_life.h"

namespace fastjournal::sim::pipeline_crashes_test {

BOOST_AUTO_TEST_SUITE(pipeline_crashes)

BOOST_AUTO_TEST_CASE(documents_arrive_as_their_guarantees_say) {
  std::uint64_t const seed = test::seed_or(1);
  std::uint64_t deliveries = 0;
  std::uint64_t crashes = 0;
  for (std::uint64_t life = 0; life < test::number_from("FJ_PLAYS", 20); ++life) {
    PipelineLifeResult const result = live_with_pipelines(seed + life, 300);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << " FJ_PLAYS=1: " << result.wrong);
    deliveries += result.deliveries;
    crashes += result.crashes;
  }
  BOOST_TEST_MESSAGE(deliveries << " deliveries, " << crashes << " ends");
  BOOST_TEST(deliveries > 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::pipeline_crashes_test
