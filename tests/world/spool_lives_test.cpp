// Random lives of a spool folder with its producers, its forwarder and a daemon (spool_life.h). FJ_SEED: the first seed;
// FJ_LIVES: their number.
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/world/spool_life.h"

namespace fastjournal::sim::spool_lives_test {

BOOST_AUTO_TEST_SUITE(spool_lives)

BOOST_AUTO_TEST_CASE(each_row_counts_once) {
  std::uint64_t const first = test::seed_or(1);
  for (std::uint64_t seed = first; seed < first + test::number_from("FJ_LIVES", 40); ++seed) {
    SpoolLifeResult const result = live_with_spool(seed, 2000);
    BOOST_TEST(result.wrong.empty(), "./mk sim --spool --seed " << seed << ": " << result.wrong);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::spool_lives_test
