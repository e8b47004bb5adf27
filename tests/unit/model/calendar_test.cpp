// Calendars: the language, the days, both changes of the clock, and what catching up needs. What other implementations
// make of random expressions in real zones: tests/calendar.
#include "model/calendar/calendar.h"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "model/date.h"
#include "tests/support/zones.h"

namespace fastjournal::model::calendar_test {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t k2026 = 1'767'225'600'000;  // a Thursday

test::RuleZones const& zones() {
  static test::RuleZones const known;
  return known;
}

Zone const& zone(std::string_view name) { return *find_zone(&zones(), name).value(); }

Calendar calendar(std::string_view text, TimeMs anchor = {}) {
  Result<Calendar> read = Calendar::parse(text, anchor);
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  return read.value();
}

// The next dates, as `2026-01-31T09:00` in UTC; with seconds if they are not 0.
std::vector<std::string> dates(std::string_view text, std::string_view zone_name, std::int64_t after_ms,
                               std::size_t count) {
  Calendar const read = calendar(text);
  std::vector<std::string> out;
  for (TimeMs date{after_ms}; out.size() < count;) {
    date = read.next(date, zone(zone_name));
    if (date == TimeMs::max()) break;
    std::string shown = format_date(date.value);
    out.push_back(shown.substr(0, shown.substr(17, 2) == "00" ? 16 : 19));
  }
  return out;
}

using Dates = std::vector<std::string>;

#define CHECK_DATES(text, zone_name, after_ms, ...)                                              \
  do {                                                                                           \
    Dates const expected{__VA_ARGS__};                                                           \
    Dates const found = dates(text, zone_name, after_ms, expected.size());                       \
    BOOST_CHECK_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end()); \
  } while (false)

std::string refusal(std::string_view text) {
  Result<Calendar> const read = Calendar::parse(text);
  BOOST_REQUIRE_MESSAGE(!read.ok(), text << " was read");
  BOOST_TEST((read.status().code() == Code::bad_parameter));
  return read.status().message();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(calendar_of_cron)

BOOST_AUTO_TEST_CASE(fields_are_numbers_names_lists_ranges_and_steps) {
  CHECK_DATES("30 9 * * *", "UTC", k2026, "2026-01-01T09:30", "2026-01-02T09:30");
  CHECK_DATES("0 9-11/2 1 JAN,mar *", "UTC", k2026, "2026-01-01T09:00", "2026-01-01T11:00", "2026-03-01T09:00");
  CHECK_DATES("0 0 * * Mon-Wed", "UTC", k2026, "2026-01-05T00:00", "2026-01-06T00:00", "2026-01-07T00:00",
              "2026-01-12T00:00");
  CHECK_DATES("50/5 23 31 12 ?", "UTC", k2026, "2026-12-31T23:50", "2026-12-31T23:55", "2027-12-31T23:50");
  CHECK_DATES("*/20 0 0 * * *", "UTC", k2026 - 1, "2026-01-01T00:00", "2026-01-01T00:00:20", "2026-01-01T00:00:40",
              "2026-01-02T00:00");
  CHECK_DATES("\t 0  0 * * fri-7 ", "UTC", k2026, "2026-01-02T00:00", "2026-01-03T00:00", "2026-01-04T00:00",
              "2026-01-09T00:00");
  CHECK_DATES("0 0 * * sat-sun", "UTC", k2026, "2026-01-03T00:00", "2026-01-04T00:00", "2026-01-10T00:00");
}

BOOST_AUTO_TEST_CASE(a_date_is_later_than_what_was_asked_for_by_a_millisecond) {
  CHECK_DATES("* * * * * *", "UTC", k2026 - 1, "2026-01-01T00:00");
  CHECK_DATES("* * * * * *", "UTC", k2026, "2026-01-01T00:00:01");
  CHECK_DATES("0 0 1 1 *", "UTC", k2026 - 1, "2026-01-01T00:00");
  CHECK_DATES("0 0 1 1 *", "UTC", k2026, "2027-01-01T00:00");
}

BOOST_AUTO_TEST_CASE(names_of_whole_expressions) {
  CHECK_DATES("@yearly", "UTC", k2026, "2027-01-01T00:00");
  CHECK_DATES("@annually", "UTC", k2026, "2027-01-01T00:00");
  CHECK_DATES("@monthly", "UTC", k2026, "2026-02-01T00:00");
  CHECK_DATES("@weekly", "UTC", k2026, "2026-01-04T00:00");
  CHECK_DATES("@daily", "UTC", k2026, "2026-01-02T00:00");
  CHECK_DATES("@Midnight", "UTC", k2026, "2026-01-02T00:00");
  CHECK_DATES("@hourly", "UTC", k2026, "2026-01-01T01:00");
}

BOOST_AUTO_TEST_CASE(last_days_and_working_days) {
  CHECK_DATES("0 0 L * *", "UTC", k2026, "2026-01-31T00:00", "2026-02-28T00:00", "2026-03-31T00:00");
  CHECK_DATES("0 0 l-3 2 *", "UTC", k2026, "2026-02-25T00:00", "2027-02-25T00:00", "2028-02-26T00:00");
  CHECK_DATES("0 0 L-30 * *", "UTC", k2026, "2026-03-01T00:00", "2026-05-01T00:00");
  // 2026-02-15 is a Sunday, 2026-08-15 a Saturday.
  CHECK_DATES("0 0 15W 2,8 *", "UTC", k2026, "2026-02-16T00:00", "2026-08-14T00:00");
  // Not out of its month: 2026-08-01 is a Saturday, 2026-05-31 a Sunday.
  CHECK_DATES("0 0 1W 8 *", "UTC", k2026, "2026-08-03T00:00");
  CHECK_DATES("0 0 31w 5 *", "UTC", k2026, "2026-05-29T00:00");
  CHECK_DATES("0 0 LW * *", "UTC", k2026, "2026-01-30T00:00", "2026-02-27T00:00", "2026-03-31T00:00");
  CHECK_DATES("0 0 1W,20 1 *", "UTC", k2026, "2026-01-20T00:00", "2027-01-01T00:00", "2027-01-20T00:00");
  CHECK_DATES("0 0 * * 5L", "UTC", k2026, "2026-01-30T00:00", "2026-02-27T00:00");
  CHECK_DATES("0 0 * * fri#L", "UTC", k2026, "2026-01-30T00:00", "2026-02-27T00:00");
  CHECK_DATES("0 0 * * 5#3", "UTC", k2026, "2026-01-16T00:00", "2026-02-20T00:00");
  CHECK_DATES("0 0 * * sun#5,mon#1", "UTC", k2026, "2026-01-05T00:00", "2026-02-02T00:00", "2026-03-02T00:00",
              "2026-03-29T00:00");
}

BOOST_AUTO_TEST_CASE(of_two_kinds_of_days_either_or_with_a_plus_both) {
  CHECK_DATES("0 0 13 * fri", "UTC", k2026, "2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00");
  CHECK_DATES("0 0 13 * +fri", "UTC", k2026, "2026-02-13T00:00", "2026-03-13T00:00", "2026-11-13T00:00");
  CHECK_DATES("0 0 ? * fri", "UTC", k2026, "2026-01-02T00:00", "2026-01-09T00:00", "2026-01-16T00:00");
}

BOOST_AUTO_TEST_CASE(rare_dates_are_found_and_those_that_never_come_refused) {
  CHECK_DATES("0 0 29 2 *", "UTC", k2026, "2028-02-29T00:00", "2032-02-29T00:00");
  CHECK_DATES("0 0 29 2 *", "UTC", 3'981'700'000'000, "2104-02-29T00:00");  // 2100 has none
  CHECK_DATES("0 0 * 2 sun#5", "Europe/Berlin", k2026, "2032-02-28T23:00", "2060-02-28T23:00", "2088-02-28T23:00",
              "2128-02-28T23:00");
  for (std::string_view text : {"0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 L-29 2 +mon#5", "0 0 30W 2 *"})
    BOOST_TEST(refusal(text).find("has no date") != std::string::npos);
  BOOST_TEST((calendar("* * * * *").next(Calendar::kEnd, zone("UTC")) == TimeMs::max()));
  BOOST_TEST((calendar("0 0 1 1 *").next({Calendar::kEnd.value - kDayMs}, zone("UTC")) == TimeMs::max()));
}

BOOST_AUTO_TEST_CASE(refusals_name_the_field_its_place_and_what_was_expected) {
  BOOST_TEST(
      refusal("5 24 * * *") ==
      "calendar: field 2 (hour), byte 3: \"24\" in \"5 24 * * *\" is wrong; expected 0-23, *, lists (1,5), ranges "
      "(1-5) or steps (*/2)");
  BOOST_TEST(refusal("* * * *").find("has 4 fields, expected five fields") != std::string::npos);
  BOOST_TEST(refusal("").find("has 0 fields") != std::string::npos);
  BOOST_TEST(refusal("1 2 3 4 5 6 7").find("has 7 fields") != std::string::npos);
  BOOST_TEST(refusal("@reboot").find("it has no date") != std::string::npos);
  BOOST_TEST(refusal("*/90 * * * *").find("`every 90m`") != std::string::npos);
  BOOST_TEST(refusal("0 22-4 * * *").find("goes backwards") != std::string::npos);
  BOOST_TEST(refusal("? * * * *").find("for days only") != std::string::npos);
  for (std::string_view text :
       {"60 * * * *",      "-1 * * * *", "1- * * * *",   "1,,2 * * * *", ", * * * *",           "*/0 * * * *",
        "1/ * * * *",      "a * * * *",  "** * * * *",   "*5 * * * *",   "0 0 0 * *",           "0 0 32 * *",
        "0 0 L-31 * *",    "0 0 L- * *", "0 0 W * *",    "0 0 1-5W * *", "0 0 * 0 *",           "0 0 * 13 *",
        "0 0 * january *", "0 0 * * 8",  "0 0 * * 5#0",  "0 0 * * 5#6",  "0 0 * * L",           "0 0 * * #1",
        "0 0 * * +",       "0 0 * +1 *", "60 0 0 * * *", "0 0 * * mon+", "99999999999 * * * *", "0x1 * * * *",
        "0 0 *\n* *"})
    BOOST_TEST(refusal(text).find("expected") != std::string::npos);
  BOOST_TEST(refusal(std::string(300, '*')).find("at most 256") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_is_counted_from_its_anchor) {
  BOOST_TEST((calendar("every 10m").next({k2026}, zone("UTC")).value == k2026 + 600'000));
  BOOST_TEST((calendar("EVERY  1h", {k2026 + 7}).next({k2026}, zone("UTC")).value == k2026 + 7));
  BOOST_TEST((calendar("every 1h", {k2026 + 7 * kDayMs}).next({k2026}, zone("UTC")).value == k2026 + 3'600'000));
  BOOST_TEST(refusal("every 10").find("expected 1s to") != std::string::npos);
  BOOST_TEST(refusal("every 0s").find("expected 1s to") != std::string::npos);
  BOOST_TEST(refusal("every 4000d").find("expected 1s to") != std::string::npos);
  BOOST_TEST(refusal("every 1w").find("duration") != std::string::npos);
}

// In Berlin 2026-03-29 has no 02:00 to 03:00, and 2026-10-25 has it twice.
BOOST_AUTO_TEST_CASE(times_in_a_gap_are_its_end_once_unless_each_hour_has_them) {
  constexpr std::int64_t kBefore = 1'774'738'800'000;  // 2026-03-29T00:00 in Berlin
  CHECK_DATES("30 2 * * *", "Europe/Berlin", kBefore, "2026-03-29T01:00", "2026-03-30T00:30");
  CHECK_DATES("0,20,40 2 * * *", "Europe/Berlin", kBefore, "2026-03-29T01:00", "2026-03-30T00:00");
  CHECK_DATES("*/20 2 * * *", "Europe/Berlin", kBefore, "2026-03-29T01:00", "2026-03-30T00:00");
  CHECK_DATES("15 2,3 * * *", "Europe/Berlin", kBefore, "2026-03-29T01:00", "2026-03-29T01:15");
  CHECK_DATES("0 2,3 * * *", "Europe/Berlin", kBefore, "2026-03-29T01:00", "2026-03-30T00:00");
  CHECK_DATES("30 * * * *", "Europe/Berlin", kBefore, "2026-03-28T23:30", "2026-03-29T00:30", "2026-03-29T01:30");
  CHECK_DATES("30 0-23 * * *", "Europe/Berlin", kBefore, "2026-03-28T23:30", "2026-03-29T00:30", "2026-03-29T01:30");
  CHECK_DATES("0 */2 * * *", "Europe/Berlin", kBefore, "2026-03-29T01:00", "2026-03-29T02:00");
  // Asked for within the hour before, at the gap and behind it.
  CHECK_DATES("30 2 * * *", "Europe/Berlin", kBefore + 7'199'999, "2026-03-29T01:00");
  CHECK_DATES("30 2 * * *", "Europe/Berlin", kBefore + 7'200'000, "2026-03-30T00:30");
}

BOOST_AUTO_TEST_CASE(times_that_come_twice_are_one_date_unless_a_star_or_step_asks_for_both) {
  constexpr std::int64_t kBefore = 1'792'879'200'000;  // 2026-10-25T00:00 in Berlin
  CHECK_DATES("30 2 * * *", "Europe/Berlin", kBefore, "2026-10-25T00:30", "2026-10-26T01:30");
  CHECK_DATES("0,30 1-3 * * *", "Europe/Berlin", kBefore, "2026-10-24T23:00", "2026-10-24T23:30", "2026-10-25T00:00",
              "2026-10-25T00:30", "2026-10-25T02:00", "2026-10-25T02:30");
  CHECK_DATES("30 * * * *", "Europe/Berlin", kBefore, "2026-10-24T22:30", "2026-10-24T23:30", "2026-10-25T00:30",
              "2026-10-25T01:30", "2026-10-25T02:30");
  CHECK_DATES("*/30 2 * * *", "Europe/Berlin", kBefore, "2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T01:00",
              "2026-10-25T01:30", "2026-10-26T01:00");
  // Asked for between the two, a fixed time is not late.
  CHECK_DATES("30 2 * * *", "Europe/Berlin", kBefore + 2 * 3'600'000 + 1'800'000, "2026-10-26T01:30");
}

BOOST_AUTO_TEST_CASE(changes_of_half_an_hour_and_at_midnight) {
  // 2026-04-27T02:00 to 02:30 in Half_Hour.
  CHECK_DATES("15 2 * * *", "Test/Half_Hour", 1'777'100'000'000, "2026-04-25T15:45", "2026-04-26T15:30",
              "2026-04-27T15:15");
  // Midnight leaves 2026-09-27T00:00 to 01:00 out.
  CHECK_DATES("0 0 * * *", "Test/Midnight", 1'790'400'000'000, "2026-09-27T04:00", "2026-09-28T03:00");
  CHECK_DATES("0 0 27 9 *", "Test/Midnight", 1'790'400'000'000, "2026-09-27T04:00", "2027-09-27T03:00");
}

BOOST_AUTO_TEST_CASE(the_last_of_many_dates_is_found_and_dates_are_counted) {
  std::mt19937_64 random{7};
  for (std::string_view text : {"* * * * * *", "*/7 * * * *", "30 2 * * *", "0 0 29 2 *", "0 9 L * *", "every 7m"})
    for (std::string_view name : {"UTC", "Europe/Berlin", "Test/Back_And_Forth"}) {
      Calendar const read = calendar(text);
      for (int i = 0; i < 20; ++i) {
        TimeMs const after{k2026 + static_cast<std::int64_t>(random() % (400ULL * kDayMs))};
        TimeMs const before{after.value +
                            static_cast<std::int64_t>(random() % (i < 10 ? 5000ULL * kDayMs : 300'000ULL))};
        TimeMs const last = read.last(after, before, zone(name));
        if (last == Calendar::kNone) {
          BOOST_TEST(read.count(after, before, zone(name), 9) == 0);
          BOOST_TEST((read.next(after, zone(name)) >= before));
          continue;
        }
        BOOST_TEST((last > after && last < before));
        BOOST_TEST((read.next({last.value - 1}, zone(name)) == last));
        BOOST_TEST((read.next(last, zone(name)) >= before));
      }
    }
  // Each of three dates in a row is once the middle at which the time in between is halved.
  Calendar const three = calendar("0,1,9 0 * * *");
  for (std::int64_t second = 1; second < 86'400; second += second < 3600 ? 1 : 7)
    for (std::int64_t const ms : {0, 1, 999}) {
      std::int64_t const last = second * 1000 + ms <= 60'000 ? 0 : second * 1000 + ms <= 540'000 ? 60'000 : 540'000;
      BOOST_REQUIRE((three.last({k2026 - 1}, {k2026 + second * 1000 + ms}, zone("UTC")).value == k2026 + last));
    }
  Calendar const close = calendar("0,20,40 0 0 * * *");
  for (std::int64_t second = 41; second < 86'400; second += 13)
    BOOST_REQUIRE((close.last({k2026 - 1}, {k2026 + second * 1000}, zone("UTC")).value == k2026 + 40'000));
  BOOST_TEST(calendar("0 * * * *").count({k2026}, {k2026 + kDayMs}, zone("UTC"), 1000) == 23);
  BOOST_TEST(calendar("0 * * * *").count({k2026 - 1}, {k2026 + kDayMs + 1}, zone("UTC"), 1000) == 25);
  BOOST_TEST(calendar("0 * * * *").count({k2026}, {k2026 + 100 * kDayMs}, zone("UTC"), 10) == 10);
}

BOOST_AUTO_TEST_CASE(a_jitter_is_within_its_width_and_always_the_same) {
  std::int64_t most = 0;
  for (std::int64_t date = k2026; date < k2026 + 1000; ++date) {
    DurationMs const drawn = jitter("backup", {date}, {500});
    BOOST_TEST((drawn.value >= 0 && drawn.value <= 500));
    BOOST_TEST((drawn == jitter("backup", {date}, {500})));
    most = std::max(most, drawn.value);
  }
  BOOST_TEST(most > 450);
  BOOST_TEST(jitter("backup", {k2026}, {}).value == 0);
  BOOST_TEST(jitter("backup", {k2026}, {1'000'000}).value != jitter("report", {k2026}, {1'000'000}).value);
  // Stored dates rest on it.
  BOOST_TEST(jitter("backup", {k2026}, {60'000}).value == 23'201);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::model::calendar_test
