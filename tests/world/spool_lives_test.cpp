// Random lives of a spool folder with its producers, its forwarder and a daemon (spool_life.h). FJ_SEED: the first seed;
// FJ_LIVES: their number.
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/world/spool_life.h"

BOOST_AUTO_TEST_SUITE(spool_lives)

BOOST_AUTO_TEST_CASE(each_row_counts_once) {
  std::uint64_t const first = fastjournal::test::seed_or(1);
  for (std::uint64_t seed = first; seed < first + fastjournal::test::number_from("FJ_LIVES", 40); ++seed) {
    fastjournal::sim::SpoolLifeResult const result = fastjournal::sim::live_with_spool(seed, 2000);
    BOOST_TEST(result.wrong.empty(), "./mk sim --spool --seed " << seed << ": " << result.wrong);
  }
}

BOOST_AUTO_TEST_SUITE_END()
