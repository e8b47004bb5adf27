// Random lives of the whole server in the simulator against the reference model (tests/model/reference.h).
#include "tests/model/life.h"
#include "tests/support/play_lives.h"
#include "tests/world/server_subject.h"

namespace fastjournal::sim::server_model_test {

BOOST_AUTO_TEST_SUITE(server_model)

BOOST_AUTO_TEST_CASE(random_lives_agree_with_the_model) {
  test::play_lives(1, 30, [](std::uint64_t seed) { return reference::live(seed, 1500, make_server); });
}

// Seeds that found wakes and deliveries to nobody, and lost turns.
BOOST_AUTO_TEST_CASE(lives_that_once_did_not_agree) {
  auto const check = [](std::uint64_t seed, std::uint64_t steps) {
    test::LifeResult const result = reference::live(seed, steps, make_server);
    BOOST_TEST(result.wrong.empty(),
               "./mk sim --model --seed " << seed << " --steps " << steps << ": " << result.wrong);
  };
  for (std::uint64_t const seed : {3U, 14U, 58U, 110U, 128U, 129U, 1092U, 1153U, 1233U, 2087U}) check(seed, 3500);
  check(2064673575U, 4500);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::server_model_test
