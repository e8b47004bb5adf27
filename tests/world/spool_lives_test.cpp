// Random lives of a spool folder with its producers, its forwarder and a daemon (spool_life.cpp).
#include "tests/support/play_lives.h"
#include "tests/world/lives.h"

namespace fastjournal::sim::spool_lives_test {

BOOST_AUTO_TEST_SUITE(spool_lives)

BOOST_AUTO_TEST_CASE(each_row_counts_once) {
  test::play_lives(1, 40, [](std::uint64_t seed) { return live_with_spool(seed, 2000); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::spool_lives_test
