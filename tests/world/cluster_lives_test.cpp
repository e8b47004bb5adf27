// Random lives of three daemons (cluster_life.cpp).
#include "tests/support/play_lives.h"
#include "tests/world/lives.h"
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
  test::Counts counts = test::play_lives(1, 12, [](std::uint64_t seed) { return live_in_cluster(seed, 3'000); });
  for (char const* const what : {"rows inserted", "values set or read"}) BOOST_TEST(counts[what] > 100U, what);
  for (char const* const what : {"rows done", "commands sent again", "answers that named another node"})
    BOOST_TEST(counts[what] > 20U, what);
  BOOST_TEST(counts["owners"] > 12U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::cluster_lives_test
