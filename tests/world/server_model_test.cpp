// Random lives of the whole server in the simulator against the reference model (tests/model/reference.h). FJ_SEED: the
// first seed; FJ_PLAYS: the number of lives. `./mk sim --model` plays more of them.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/model/life.h"
#include "tests/support/seed.h"
#include "tests/world/server_subject.h"

namespace fastjournal::sim::server_model_test {
namespace {

void check_life(std::uint64_t seed, std::uint64_t steps) {
  reference::LifeResult const result = reference::live(seed, steps, make_server);
  BOOST_TEST(result.wrong.empty(), "./mk sim --model --seed " << seed << " --steps " << steps << ": " << result.wrong);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(server_model)

BOOST_AUTO_TEST_CASE(random_lives_agree_with_the_model) {
  std::uint64_t const first = test::seed_or(1);
  for (std::uint64_t seed = first; seed < first + test::number_from("FJ_PLAYS", 30); ++seed) check_life(seed, 1500);
}

// Seeds that found wakes and deliveries to nobody, and lost turns.
BOOST_AUTO_TEST_CASE(lives_that_once_did_not_agree) {
  for (std::uint64_t const seed : {3U, 14U, 58U, 110U, 128U, 129U, 1092U, 1153U, 1233U, 2087U}) check_life(seed, 3500);
  check_life(2064673575U, 4500);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::server_model_test
