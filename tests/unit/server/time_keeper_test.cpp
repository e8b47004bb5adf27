// The engine's time: starts at the wall clock, never goes back, follows slowly.
#include "server/time_keeper.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;
using fastjournal::server::TimeKeeper;

struct HandClock final : env::Clock {
  std::int64_t wall_us() override { return wall; }
  std::int64_t monotonic_us() override { return monotonic; }
  void pass(std::int64_t us) {
    wall += us;
    monotonic += us;
  }
  std::int64_t wall{1'700'000'000'000'000};
  std::int64_t monotonic{5'000};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(time_keeper)

BOOST_AUTO_TEST_CASE(a_wall_clock_that_jumps_does_not_move_now) {
  HandClock clock;
  TimeKeeper time{clock};
  std::int64_t const before = time.now_us();
  clock.wall -= 3'600'000'000;
  BOOST_TEST(time.now_us() == before);
  clock.pass(1000);
  BOOST_TEST(time.now_us() == before + 1000);
}

BOOST_AUTO_TEST_CASE(now_follows_the_wall_clock_by_a_two_hundredth_and_never_goes_back) {
  HandClock clock;
  TimeKeeper time{clock};
  static_cast<void>(time.slew());
  clock.wall -= 1'000'000;
  std::int64_t last = time.now_us();
  std::int64_t left = 0;
  for (int second = 0; second < 300; ++second) {
    clock.pass(1'000'000);
    left = time.slew();
    BOOST_REQUIRE(time.now_us() > last);
    BOOST_REQUIRE(time.now_us() - last >= 995'000 - 1);
    last = time.now_us();
  }
  BOOST_TEST(left == 0);
  BOOST_TEST(time.now_us() == clock.wall);
}

BOOST_AUTO_TEST_CASE(now_is_never_below_what_the_log_knows) {
  HandClock clock;
  TimeKeeper time{clock};
  TimeMs const known{clock.wall / 1000 + 60'000};
  time.raise_to(known);
  BOOST_TEST(time.now().value >= known.value);
  time.raise_to(TimeMs{1});
  BOOST_TEST(time.now().value >= known.value);
}

BOOST_AUTO_TEST_CASE(a_date_is_a_moment_of_the_monotonic_clock) {
  HandClock clock;
  TimeKeeper time{clock};
  std::int64_t const wake = time.monotonic_of(time.now() + DurationMs{250});
  clock.pass(wake - clock.monotonic);
  BOOST_TEST(time.now_us() % 1000 == 0);
  BOOST_TEST(time.monotonic_of(TimeMs::max()) == INT64_MAX);
}

BOOST_AUTO_TEST_SUITE_END()
