// Random lives of a daemon in the simulator (play.h): FJ_SEED the first seed,
// FJ_PLAYS how many. Seeds that once failed are kept here for good.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <vector>

#include "tests/world/play.h"

namespace {

std::uint64_t number_from(char const* name, std::uint64_t otherwise) {
  char const* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(random_lives)

BOOST_AUTO_TEST_CASE(keep_every_promise) {
  std::uint64_t const first = number_from("FJ_SEED", 1);
  for (std::uint64_t seed = first; seed < first + number_from("FJ_PLAYS", 20); ++seed) {
    fastjournal::sim::PlayResult const result = fastjournal::sim::play(seed, 2000);
    BOOST_TEST(result.wrong.empty(), "./mk sim --seed " << seed << ": " << result.wrong);
  }
}

// A log that failed while it made room, with nothing to write after it: the daemon went on, refusing everything.
BOOST_AUTO_TEST_CASE(what_failed_once_fails_no_more) {
  for (std::uint64_t const seed : {2626113992U, 389732942U, 3231081600U}) {
    fastjournal::sim::PlayResult const result = fastjournal::sim::play(seed, 2000);
    BOOST_TEST(result.wrong.empty(), "./mk sim --seed " << seed << ": " << result.wrong);
  }
}

// The test of the test: on a disk whose syncs do nothing a promise is broken, and that is seen.
BOOST_AUTO_TEST_CASE(notice_a_disk_that_lies) {
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    if (!fastjournal::sim::play(seed, 2000, true).wrong.empty()) ++noticed;
  BOOST_TEST(noticed == 5);
}

BOOST_AUTO_TEST_SUITE_END()
