// The engine's time: it starts at the wall clock's, never goes back, and follows the wall clock slowly.
#include "server/time_keeper.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;
using fastjournal::server::TimeKeeper;

struct HandClock final : env::Clock {
  std::int64_t wall_us() override { return wall; }
  std::int64_t monotonic_us() override { return monotonic; }
  std::int64_t awake_us() override { return monotonic - slept; }
  void pass(std::int64_t us) {
    wall += us;
    monotonic += us;
  }
  std::int64_t wall{1'700'000'000'000'000};
  void suspend(std::int64_t us) {
    pass(us);
    slept += us;
  }
  std::int64_t monotonic{5'000};
  std::int64_t slept{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(time_keeper)

BOOST_AUTO_TEST_CASE(a_wall_clock_that_is_set_back_does_not_move_now) {
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

BOOST_AUTO_TEST_CASE(now_may_begin_ahead_of_the_wall_clock) {
  HandClock clock;
  TimeKeeper time{clock};
  TimeMs const known{clock.wall / 1000 + 60'000};
  time.begin_at(known);
  BOOST_TEST(time.now().value == known.value);
  BOOST_TEST(time.off_us() == -60'000'000);
  BOOST_TEST(!time.look().any());
}

BOOST_AUTO_TEST_CASE(a_wall_clock_that_is_set_forward_is_followed_at_once_and_told_once) {
  HandClock clock;
  TimeKeeper time{clock};
  std::int64_t const before = time.now_us();
  clock.wall += 28'800'000'000;
  BOOST_TEST(!time.look().any());  // no notice came, and without one the next check is later
  time.clock_was_set();
  TimeKeeper::Lost const lost = time.look();
  BOOST_TEST(lost.set.value == 28'800'000);
  BOOST_TEST(lost.slept.value == 0);
  BOOST_TEST(time.seen().value == before / 1000 + 28'800'000);
  time.clock_was_set();
  BOOST_TEST(!time.look().any());
}

BOOST_AUTO_TEST_CASE(a_step_that_nobody_tells_of_is_found_within_a_second_of_work) {
  HandClock clock;
  TimeKeeper time{clock};
  clock.wall += 5'000'000;
  clock.pass(999'000);
  BOOST_TEST(!time.look().any());
  clock.pass(1'000);
  BOOST_TEST(time.look().set.value == 5'000);
  // A step that is found while the difference is being reduced is reported by the next look.
  clock.wall += 7'000'000;
  clock.pass(10);
  BOOST_TEST(time.slew() == 7'000'000);
  BOOST_TEST(time.look().set.value == 7'000);
}

BOOST_AUTO_TEST_CASE(less_than_a_second_is_no_step) {
  HandClock clock;
  TimeKeeper time{clock};
  clock.wall += 1'000'000;
  time.clock_was_set();
  BOOST_TEST(!time.look().any());
  clock.pass(1'000'000);
  BOOST_TEST(time.slew() == 995'000);
}

BOOST_AUTO_TEST_CASE(sleep_is_time_that_passes_and_is_lost) {
  HandClock clock;
  TimeKeeper time{clock};
  std::int64_t const before = time.now_us();
  clock.suspend(10'800'000'000);
  TimeKeeper::Lost const lost = time.look();
  BOOST_TEST(lost.slept.value == 10'800'000);
  BOOST_TEST(lost.set.value == 0);
  BOOST_TEST(time.seen().value == before / 1000 + 10'800'000);
  BOOST_TEST(!time.look().any());
  // Short ones are added up.
  for (int nap = 0; nap < 4; ++nap) clock.suspend(600'000);
  BOOST_TEST(time.look().slept.value == 2'400);
}

BOOST_AUTO_TEST_CASE(what_was_set_back_and_forward_again_is_not_lost) {
  HandClock clock;
  TimeKeeper time{clock};
  clock.wall -= 3'600'000'000;
  time.clock_was_set();
  BOOST_TEST(!time.look().any());
  clock.wall += 3'600'000'000 + 120'000'000;
  time.clock_was_set();
  BOOST_TEST(time.look().set.value == 120'000);
}

BOOST_AUTO_TEST_CASE(now_never_goes_back_while_it_is_drawn_back) {
  HandClock clock;
  TimeKeeper time{clock};
  clock.wall -= 60'000'000;
  std::int64_t last = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    clock.pass(turn % 7 == 0 ? 1'000'000 : 100);
    static_cast<void>(time.look());
    BOOST_REQUIRE(time.now_us() >= last);
    last = time.now_us();
    static_cast<void>(time.slew());
    BOOST_REQUIRE(time.now_us() >= last);
  }
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
