// Random lives of three daemons (cluster_life.h).
#include <boost/test/unit_test.hpp>

#include "tests/support/seed.h"
#include "tests/world/cluster_life.h"
#include "tests/world/register_history.h"

namespace fastjournal::sim::cluster_lives_test {

BOOST_AUTO_TEST_SUITE(cluster_lives)

BOOST_AUTO_TEST_CASE(the_check_of_registers_sees_what_is_wrong) {
  using History = RegisterHistory;
  History right;
  right.write("a", 1, 4);
  right.read("", 2, 3);
  right.read("a", 3, 5);
  right.write("b", 6, 9);
  right.read("a", 6, 7);
  right.read("b", 8, 10);
  BOOST_TEST(right.check() == "");
  History old;
  old.write("a", 1, 2);
  old.write("b", 3, 4);
  old.read("a", 5, 6);
  BOOST_TEST(old.check() != "");
  History back;
  back.write("a", 1, 2);
  back.write("b", 3, 20);
  back.read("b", 4, 5);
  back.read("a", 6, 7);
  BOOST_TEST(back.check() != "");
  History early;
  early.read("a", 1, 2);
  early.write("a", 3, 4);
  BOOST_TEST(early.check() == "\"a\" was read before it was written");
  History nothing;
  nothing.read("x", 1, 2);
  BOOST_TEST(nothing.check() == "\"x\" was read, and nobody wrote it");
  History lost;
  lost.write("a", 1, 2);
  lost.read("", 3, 4);
  BOOST_TEST(lost.check() != "");
}

BOOST_AUTO_TEST_CASE(what_was_acknowledged_stays_whoever_decides) {
  constexpr std::uint64_t kLives = 12;
  constexpr std::uint64_t kSteps = 3'000;
  std::uint64_t const first = test::seed_or(1);
  ClusterLifeResult all;
  for (std::uint64_t at = 0; at < kLives; ++at) {
    ClusterLifeResult const life = live_in_cluster(first + at, kSteps);
    BOOST_TEST(life.wrong.empty(), "seed " << first + at << ": " << life.wrong);
    all.inserted += life.inserted;
    all.done += life.done;
    all.resent += life.resent;
    all.moved += life.moved;
    all.read += life.read;
    all.values += life.values;
    all.owners += life.owners;
    all.kills += life.kills;
    all.stops += life.stops;
  }
  BOOST_TEST_MESSAGE(kLives << " lives: " << all.inserted << " inserted, " << all.done << " done, " << all.read
                            << " read, " << all.values << " values set or read, " << all.resent << " sent again, "
                            << all.moved << " moved, " << all.owners << " owners, " << all.kills << " kills, "
                            << all.stops << " stops");
  BOOST_TEST(all.inserted > 100U);
  BOOST_TEST(all.done > 20U);
  BOOST_TEST(all.values > 100U);
  BOOST_TEST(all.resent > 20U);
  BOOST_TEST(all.moved > 20U);
  BOOST_TEST(all.owners > kLives);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::cluster_lives_test
