// The real clock, as far as it can be tested without waiting.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdlib>

#include "platform/os/clock.h"

namespace fastjournal::os {

BOOST_AUTO_TEST_SUITE(clock)

BOOST_AUTO_TEST_CASE(the_wall_clock_counts_microseconds_since_1970) {
  PosixClock clock;
  auto const expected =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
  BOOST_TEST(std::abs(clock.wall_us() - expected.count()) < 60'000'000);
}

BOOST_AUTO_TEST_CASE(the_monotonic_clock_never_goes_back_and_moves) {
  PosixClock clock;
  std::int64_t const first = clock.monotonic_us();
  std::int64_t last = first;
  while (last - first < 1000) {
    std::int64_t const now = clock.monotonic_us();
    BOOST_REQUIRE(now >= last);
    last = now;
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::os
