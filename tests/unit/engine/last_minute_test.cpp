// What came into a histogram within the last minute, as somebody sees who looks at it each second.
#include "engine/last_minute.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;

struct Looked {
  // A second later.
  std::optional<std::uint64_t> look() {
    now.value += 1'000;
    return minute.p99("lateness_ms", values, now);
  }
  Histogram values;
  TimeMs now{1'000'000};
  fastjournal::engine::LastMinute minute;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(last_minute)

BOOST_FIXTURE_TEST_CASE(a_bad_hour_is_forgotten_after_a_minute, Looked) {
  BOOST_TEST(!look());
  for (int i = 0; i < 1'000; ++i) values.add(3'600'000);
  BOOST_TEST(look().value_or(0) > 1'800'000U);
  // Nothing comes any more: it is told for a minute, and then nothing is.
  int seconds = 0;
  while (look() && seconds < 100) ++seconds;
  BOOST_TEST(seconds >= 38);
  BOOST_TEST(seconds <= 61);
  // What comes now is told, though it is one of a thousand.
  for (int i = 0; i < 10; ++i) values.add(4);
  std::optional<std::uint64_t> const now_told = look();
  BOOST_REQUIRE(now_told.has_value());
  BOOST_TEST(*now_told >= 4U);
  BOOST_TEST(*now_told <= 7U);
  BOOST_TEST(values.percentile(99) > 1'800'000U);
}

BOOST_FIXTURE_TEST_CASE(it_is_within_a_third_of_the_exact_one, Looked) {
  BOOST_TEST(!look());
  for (std::uint64_t i = 0; i < 10'000; ++i) values.add(i);
  std::uint64_t const told = look().value_or(0);
  BOOST_TEST(told > 9'900U * 2 / 3);
  BOOST_TEST(told <= 9'999U);
  // One of more than a hundred does not count, and zeros are values.
  Looked zeros;
  BOOST_TEST(!zeros.look());
  for (int i = 0; i < 200; ++i) zeros.values.add(0);
  zeros.values.add(50'000);
  BOOST_TEST(zeros.look().value_or(1) == 0U);
}

BOOST_FIXTURE_TEST_CASE(who_did_not_look_for_a_minute_begins_anew, Looked) {
  BOOST_TEST(!look());
  values.add(9);
  BOOST_TEST(look().value_or(0) == 9U);
  now.value += 61'000;
  values.add(9);
  BOOST_TEST(!look());
  values.add(9);
  BOOST_TEST(look().has_value());
  // A clock that was set back.
  now.value -= 500'000;
  BOOST_TEST(!look());
  values.add(9);
  BOOST_TEST(look().has_value());
}

BOOST_FIXTURE_TEST_CASE(a_histogram_that_has_begun_anew_is_another_one, Looked) {
  BOOST_TEST(!look());
  for (int i = 0; i < 100; ++i) values.add(9);
  BOOST_TEST(look().value_or(0) == 9U);
  now.value += 25'000;
  BOOST_TEST(look().value_or(0) == 9U);
  values = {};
  for (int i = 0; i < 10; ++i) values.add(40'000);
  BOOST_TEST(!look());
  values.add(5);
  std::optional<std::uint64_t> const told = look();
  BOOST_REQUIRE(told.has_value());
  BOOST_TEST(*told <= 7U);
}

BOOST_AUTO_TEST_CASE(times_have_such_a_figure_and_counts_have_none) {
  BOOST_TEST(fastjournal::engine::last_minute_name("lateness_ms") == "lateness_ms_p99_minute");
  BOOST_TEST(fastjournal::engine::last_minute_name("merges").empty());
}

BOOST_AUTO_TEST_SUITE_END()
