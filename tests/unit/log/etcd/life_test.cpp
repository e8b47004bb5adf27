// Lives of three daemons with one log on a simulated etcd (life.h). FJ_SEED chooses the first, FJ_LIVES how many.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "tests/support/seed.h"
#include "tests/unit/log/etcd/life.h"

namespace fastjournal::log::etcd::test {

BOOST_AUTO_TEST_SUITE(etcd_log_lives)

BOOST_AUTO_TEST_CASE(what_was_durable_stays_whoever_owns_the_log) {
  std::uint64_t const seed = fastjournal::test::seed_or(20261128);
  std::uint64_t const lives = fastjournal::test::number_from("FJ_LIVES", 40);
  LifeResult all;
  for (std::uint64_t life = 0; life < lives; ++life) {
    LifeResult const one = live(seed + life, 4'000);
    BOOST_TEST_REQUIRE(one.wrong.empty(), "FJ_SEED=" << seed + life << ": " << one.wrong);
    all.groups += one.groups;
    all.unknown += one.unknown;
    all.came += one.came;
    all.owners += one.owners;
    all.fenced += one.fenced;
    all.kills += one.kills;
    all.truncated += one.truncated > 0 ? 1 : 0;
  }
  BOOST_TEST_MESSAGE(lives << " lives: " << all.groups << " groups durable, " << all.unknown << " unknown of which "
                           << all.came << " came, " << all.owners << " owners, " << all.fenced << " fenced, "
                           << all.kills << " kills, " << all.truncated << " truncated");
  BOOST_TEST(all.groups > 0U);
  BOOST_TEST(all.fenced > 0U);
  BOOST_TEST(all.came > 0U);
}

BOOST_AUTO_TEST_CASE(a_follower_takes_over_within_three_seconds) {
  std::uint64_t const seed = fastjournal::test::seed_or(20261128);
  std::int64_t longest = 0;
  for (std::uint64_t life = 0; life < 20; ++life) {
    LifeResult const one = live(seed + life, 4'000, {.has_faults = false});
    BOOST_TEST_REQUIRE(one.wrong.empty(), "FJ_SEED=" << seed + life << ": " << one.wrong);
    longest = std::max(longest, one.without_us);
  }
  BOOST_TEST_MESSAGE("longest time without an owner after one was killed: " << longest / 1'000 << " ms");
  BOOST_TEST(longest > 0);
  BOOST_TEST(longest < 3'500'000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::etcd::test
