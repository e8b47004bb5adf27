// Periods of a log: where they begin and end, and what the catalogue keeps of them.
#include <boost/test/unit_test.hpp>

#include "log/catalogue.h"
#include "log/period.h"
#include "tests/unit/log/kept_catalogue.h"

namespace fastjournal::log {
namespace {

constexpr TimeMs at(int year, unsigned month, unsigned day, int hour, int minute) {
  using namespace std::chrono;
  auto const date = sys_days{std::chrono::year{year} / month / day} + hours{hour} + minutes{minute};
  return TimeMs{duration_cast<milliseconds>(date.time_since_epoch()).count()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(period)

BOOST_AUTO_TEST_CASE(hours_days_and_months_of_utc_follow_one_another) {
  struct Case {
    Period period;
    TimeMs date;
    TimeMs begin;
    TimeMs end;
  };
  TimeMs const leap = at(2028, 2, 29, 23, 59);
  for (Case const& expected : {
           Case{Period::hour, leap, at(2028, 2, 29, 23, 0), at(2028, 3, 1, 0, 0)},
           Case{Period::day, leap, at(2028, 2, 29, 0, 0), at(2028, 3, 1, 0, 0)},
           Case{Period::month, leap, at(2028, 2, 1, 0, 0), at(2028, 3, 1, 0, 0)},
           Case{Period::month, at(2026, 12, 31, 23, 59), at(2026, 12, 1, 0, 0), at(2027, 1, 1, 0, 0)},
           Case{Period::month, at(2027, 1, 1, 0, 0), at(2027, 1, 1, 0, 0), at(2027, 2, 1, 0, 0)},
           Case{Period::day, at(2027, 1, 1, 0, 0), at(2027, 1, 1, 0, 0), at(2027, 1, 2, 0, 0)},
           Case{Period::none, leap, TimeMs{}, TimeMs::max()},
       }) {
    BOOST_TEST(begin_of(expected.period, expected.date).value == expected.begin.value);
    BOOST_TEST(end_of(expected.period, expected.date).value == expected.end.value);
  }
}

BOOST_AUTO_TEST_CASE(the_catalogue_keeps_the_current_period_and_writes_it_again) {
  KeptCatalogue book;
  BOOST_TEST(book.catalogue.oldest_lsn().is_none());
  Catalogue::append_period(book, book.catalogue.period_object(), {TimeMs{1000}, Lsn{4096}, {}});
  book.apply();
  ObjectId const object = book.catalogue.period_object();
  Lsn const first = book.catalogue.oldest_lsn();
  BOOST_TEST(!first.is_none());
  Catalogue::append_period(book, object, {TimeMs{2000}, Lsn{8192}, Lsn{4096}});
  book.apply();
  BOOST_CHECK((book.catalogue.period() == Catalogue::Period{TimeMs{2000}, Lsn{8192}, Lsn{4096}}));
  BOOST_CHECK(book.catalogue.period_object() == object);
  std::uint64_t const live = book.catalogue.live_bytes();
  Lsn const below{book.next + 64};
  BOOST_TEST(book.catalogue.compact_one(below, book));
  book.apply();
  BOOST_CHECK(book.catalogue.oldest_lsn() >= below);
  BOOST_CHECK((book.catalogue.period() == Catalogue::Period{TimeMs{2000}, Lsn{8192}, Lsn{4096}}));
  BOOST_TEST(book.catalogue.live_bytes() == live);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log
