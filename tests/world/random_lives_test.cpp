// Random lives of a daemon in the simulator (play.h). FJ_SEED: the first seed; FJ_PLAYS: their number. Seeds that once
// failed are kept here.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <vector>

#include "tests/support/seed.h"
#include "tests/world/play.h"

namespace fastjournal::sim::random_lives_test {

BOOST_AUTO_TEST_SUITE(random_lives)

BOOST_AUTO_TEST_CASE(keep_every_promise) {
  std::uint64_t const first = test::seed_or(1);
  for (std::uint64_t seed = first; seed < first + test::number_from("FJ_PLAYS", 20); ++seed) {
    PlayResult const result = play(seed, 2000);
    BOOST_TEST(result.wrong.empty(), "./mk sim --seed " << seed << ": " << result.wrong);
  }
}

// These found a log that failed while it made room and had nothing to write afterwards: the daemon went on and refused
// everything.
BOOST_AUTO_TEST_CASE(what_failed_once_fails_no_more) {
  for (std::uint64_t const seed : {2626113992U, 389732942U, 3231081600U}) {
    PlayResult const result = play(seed, 2000);
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
