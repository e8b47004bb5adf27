// Key/value tables keep their promises through kills and power cuts (keyvalue_life.cpp).
#include "tests/support/play_lives.h"
#include "tests/world/lives.h"

namespace fastjournal::sim::keyvalue_crashes_test {

BOOST_AUTO_TEST_SUITE(keyvalue_crashes)

BOOST_AUTO_TEST_CASE(what_was_acknowledged_is_there) {
  test::play_lives(1, 60, [](std::uint64_t seed) { return live_with_values(seed, 600); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::keyvalue_crashes_test
