// Random lives of a table are as the reference says (life.h). FJ_SEED chooses the first, FJ_LIVES how many.
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/unit/pipeline/life.h"

namespace fastjournal::pipeline::test {

BOOST_AUTO_TEST_SUITE(pipeline_model)

BOOST_AUTO_TEST_CASE(random_lives_are_as_the_reference_says) {
  std::uint64_t const seed = fastjournal::test::seed_or(20261127);
  std::uint64_t crashes = 0;
  std::uint64_t pages = 0;
  std::uint64_t const lives = fastjournal::test::number_from("FJ_LIVES", 120);
  for (std::uint64_t life = 0; life < lives; ++life) {
    LifeResult const result = live(seed + life, 1'500);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << ": " << result.wrong);
    crashes += result.crashes;
    pages += result.pages;
  }
  BOOST_TEST_MESSAGE(crashes << " kills, " << pages << " pages of ended documents");
  BOOST_TEST(pages > 4 * lives);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
