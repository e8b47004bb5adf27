// Random lives of three daemons (cluster_life.h).
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/world/cluster_life.h"

using namespace fastjournal;

BOOST_AUTO_TEST_SUITE(cluster_lives)

BOOST_AUTO_TEST_CASE(what_was_acknowledged_stays_whoever_decides) {
  constexpr std::uint64_t kLives = 12;
  constexpr std::uint64_t kSteps = 3'000;
  std::uint64_t const first = test::seed_or(1);
  sim::ClusterLifeResult all;
  for (std::uint64_t at = 0; at < kLives; ++at) {
    sim::ClusterLifeResult const life = sim::live_in_cluster(first + at, kSteps);
    BOOST_TEST(life.wrong.empty(), "seed " << first + at << ": " << life.wrong);
    all.inserted += life.inserted;
    all.done += life.done;
    all.resent += life.resent;
    all.moved += life.moved;
    all.read += life.read;
    all.owners += life.owners;
    all.kills += life.kills;
    all.stops += life.stops;
  }
  BOOST_TEST_MESSAGE(kLives << " lives: " << all.inserted << " inserted, " << all.done << " done, " << all.read
                            << " read, " << all.resent << " sent again, " << all.moved << " moved, " << all.owners
                            << " owners, " << all.kills << " kills, " << all.stops << " stops");
  BOOST_TEST(all.inserted > 100U);
  BOOST_TEST(all.done > 20U);
  BOOST_TEST(all.resent > 20U);
  BOOST_TEST(all.moved > 20U);
  BOOST_TEST(all.owners > kLives);
}

BOOST_AUTO_TEST_SUITE_END()
