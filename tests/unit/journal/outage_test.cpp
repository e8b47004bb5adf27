// What a worker fails at for hours, as what it needs is away: rows rest ever longer, and none is given up in a night; the
// alert tells it within minutes, and ends with it.
#include <boost/test/unit_test.hpp>

#include "tests/unit/journal/harness.h"

namespace fastjournal::journal::test {
namespace {

constexpr std::int64_t kOutageMinute = 60'000;
constexpr std::int64_t kOutageHour = 60 * kOutageMinute;
constexpr std::int64_t kOutageDay = 24 * kOutageHour;

// With the defaults of a table.
struct OutageFixture : Harness {
  OutageFixture() {
    for (int i = 0; i < 50; ++i) run("INSERT", {{"k", "row" + std::to_string(i)}});
  }

  // All that is due until then is tried, and ends so.
  void work(std::int64_t until_ms, bool fails) {
    std::int64_t const until = now.value + until_ms;
    while (true) {
      Reply const row = run("NEXT", {});
      if (row.name() == "ROW") {
        Texts lease{{"row", row.get("row")}, {"epoch", row.get("epoch")}};
        if (fails) lease["error"] = "the other system does not answer";
        BOOST_REQUIRE_EQUAL(run(fails ? "RELEASE" : "DONE", lease).error(), "");
        ++attempts;
        continue;
      }
      std::int64_t const next = row.get("next_date") == "-" ? until : std::stoll(row.get("next_date"));
      if (next >= until) break;
      pass(std::max<std::int64_t>(1, next - now.value));
    }
    pass(until - now.value);
  }
  [[nodiscard]] std::size_t parked() const { return table->state().places().parked().size(); }
  [[nodiscard]] bool is_up(std::string const& name) const { return alerts.raised.contains(name); }

  int attempts{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(outage)

BOOST_FIXTURE_TEST_CASE(a_night_parks_nothing, OutageFixture) {
  work(10 * kOutageHour, true);
  BOOST_TEST_MESSAGE("ten hours: " << attempts << " attempts of 50 rows, " << parked() << " parked");
  BOOST_TEST(parked() == 0U);
  BOOST_TEST(attempts < 50 * 17);
  // Then each is done at the end of its rest.
  work(11 * kOutageHour, false);
  BOOST_TEST(table->state().rows().size() == 0U);
}

// 24 rests: 1 s, 2 s, 4 s ... 18 h 12 min, then seven of a day; each up to a tenth longer.
BOOST_FIXTURE_TEST_CASE(twenty_five_attempts_take_about_nine_days, OutageFixture) {
  work(8 * kOutageDay + 12 * kOutageHour, true);
  BOOST_TEST(parked() == 0U);
  work(kOutageDay, true);
  BOOST_TEST_MESSAGE("until all are given up: " << attempts << " attempts of 50 rows");
  BOOST_TEST(parked() == 50U);
  BOOST_TEST(attempts == 50 * 25);
}

BOOST_FIXTURE_TEST_CASE(that_most_attempts_fail_is_told_at_once_and_until_it_is_over, OutageFixture) {
  work(1, true);
  BOOST_TEST(is_up("failing"));
  // While fewer than twenty attempts fall into five minutes, too.
  work(10 * kOutageHour, true);
  BOOST_TEST(is_up("failing"));
  work(11 * kOutageHour, false);
  BOOST_TEST(!is_up("failing"));
}

// Nothing is tried any more after a start: what was raised before it does not stand for ever.
BOOST_FIXTURE_TEST_CASE(an_alert_of_before_a_start_ends_by_itself, OutageFixture) {
  work(1, true);
  restart();
  BOOST_TEST(run("DELETE", {{"status", "waiting"}}).get("count") == "50");
  pass(kOutageDay);
  BOOST_TEST(is_up("failing"));
  pass(kOutageDay);
  BOOST_TEST(!is_up("failing"));
}

// Ten of nineteen, half of twenty, and what is given back: all is well.
BOOST_AUTO_TEST_CASE(few_attempts_and_half_of_many_are_no_reason) {
  Harness h;
  auto const attempt = [&](char const* ends, char const* error) {
    h.run("INSERT", {{"k", std::to_string(h.now.value)}});
    Reply const row = h.run("NEXT", {});
    Texts lease{{"row", row.get("row")}, {"epoch", row.get("epoch")}};
    if (*error != 0) lease["error"] = error;
    h.run(ends, lease);
    h.pass(10);
  };
  for (int i = 0; i < 19; ++i) attempt("FAIL", "no");
  BOOST_TEST(!h.alerts.raised.contains("failing"));
  for (int i = 0; i < 30; ++i) attempt("DONE", "");
  for (int i = 0; i < 11; ++i) attempt("FAIL", "no");
  BOOST_TEST(!h.alerts.raised.contains("failing"));
  attempt("FAIL", "no");
  BOOST_TEST(h.alerts.raised.contains("failing"));
  // It is over once half of the last five minutes' attempts went well.
  for (int i = 0; i < 2; ++i) attempt("DONE", "");
  h.pass(40'000);
  BOOST_TEST(!h.alerts.raised.contains("failing"));
}

// A lease that runs out is one that failed, and what is given back without an error was none.
BOOST_AUTO_TEST_CASE(workers_that_hang_fail_too_and_those_that_stop_do_not) {
  Harness h{{{"processing-timeout", "1s"}, {"max-timeouts", "250"}}};
  for (int i = 0; i < 40; ++i) {
    h.run("INSERT", {{"k", std::to_string(i)}});
    Reply const row = h.run("NEXT", {});
    h.run("RELEASE", {{"row", row.get("row")}, {"epoch", row.get("epoch")}, {"process_date", "+3600000"}});
  }
  BOOST_TEST(!h.alerts.raised.contains("failing"));
  for (int i = 40; i < 60; ++i) h.run("INSERT", {{"k", std::to_string(i)}});
  h.run("NEXT", {{"count", "20"}});
  h.pass(1'000);
  BOOST_TEST(h.alerts.raised.contains("failing"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::journal::test
