// Dates and time spans in the form for people.
#include "model/date.h"

#include <boost/test/unit_test.hpp>

using fastjournal::model::format_date;
using fastjournal::model::format_span;

BOOST_AUTO_TEST_SUITE(date)

BOOST_AUTO_TEST_CASE(dates_are_utc_to_the_millisecond) {
  BOOST_TEST(format_date(0) == "1970-01-01T00:00:00.000Z");
  BOOST_TEST(format_date(1'795'219'200'250) == "2026-11-21T00:00:00.250Z");
  BOOST_TEST(format_date((std::int64_t{1} << 48) - 1) == "10889-08-02T05:31:50.655Z");
}

BOOST_AUTO_TEST_CASE(spans_have_at_most_two_units) {
  BOOST_TEST(format_span(-5) == "0 ms");
  BOOST_TEST(format_span(250) == "250 ms");
  BOOST_TEST(format_span(1000) == "1 s");
  BOOST_TEST(format_span(12'345) == "12.3 s");
  BOOST_TEST(format_span(60'000) == "1 min");
  BOOST_TEST(format_span(303'999) == "5 min 3 s");
  BOOST_TEST(format_span(12'000'000) == "3 h 20 min");
  BOOST_TEST(format_span(187'200'000) == "2 d 4 h");
}

BOOST_AUTO_TEST_SUITE_END()
