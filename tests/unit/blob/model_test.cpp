// Random lives of a table are as the map says (life.h). FJ_SEED chooses the first, FJ_LIVES how many.
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/unit/blob/life.h"

namespace fastjournal::blob::test {

BOOST_AUTO_TEST_SUITE(blob_model)

BOOST_AUTO_TEST_CASE(random_lives_are_as_the_map_says) {
  std::uint64_t const seed = fastjournal::test::seed_or(20261124);
  std::uint64_t const lives = fastjournal::test::number_from("FJ_LIVES", 40);
  LifeResult all;
  for (std::uint64_t life = 0; life < lives; ++life) {
    LifeResult const result = live(seed + life, 3'000);
    BOOST_TEST_REQUIRE(result.wrong.empty(), "FJ_SEED=" << seed + life << ": " << result.wrong);
    all.kills += result.kills;
    all.exchanges += result.exchanges;
    all.given_up += result.given_up;
    all.named += result.named;
    all.newer += result.newer;
    all.refused += result.refused;
    all.offline += result.offline;
  }
  BOOST_TEST_MESSAGE(all.kills << " kills, " << all.exchanges << " exchanges, " << all.given_up << " given up, "
                               << all.named << " answers to readers by name, " << all.newer
                               << " of them in a newer file, " << all.refused << " refused, " << all.offline
                               << " blobs refused offline");
  // Otherwise they show nothing.
  BOOST_TEST(all.kills >= lives);
  BOOST_TEST(all.exchanges >= lives);
  BOOST_TEST(all.given_up >= lives / 4);
  BOOST_TEST(all.named >= 10 * lives);
  BOOST_TEST(all.newer >= lives / 4);
  BOOST_TEST(all.refused >= lives / 4);
  BOOST_TEST(all.offline >= lives);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob::test
