// Random lives of a daemon in the simulator (play.cpp). Seeds that once failed are kept here.
#include "tests/support/play_lives.h"
#include "tests/world/lives.h"

namespace fastjournal::sim::random_lives_test {

BOOST_AUTO_TEST_SUITE(random_lives)

BOOST_AUTO_TEST_CASE(keep_every_promise) {
  test::play_lives(1, 20, [](std::uint64_t seed) { return play(seed, 2000); });
}

// These found a log that failed while it made room and had nothing to write afterwards: the daemon went on and refused
// everything.
BOOST_AUTO_TEST_CASE(what_failed_once_fails_no_more) {
  for (std::uint64_t const seed : {2626113992U, 389732942U, 3231081600U}) {
    test::LifeResult const result = play(seed, 2000);
    BOOST_TEST(result.wrong.empty(), "./mk sim --seed " << seed << ": " << result.wrong);
  }
}

// A test of the test: on a disk whose syncs do nothing, a broken promise must be found.
BOOST_AUTO_TEST_CASE(notice_a_disk_that_lies) {
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    if (!play(seed, 2000, true).wrong.empty()) ++noticed;
  BOOST_TEST(noticed == 5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::random_lives_test
