// Schedules: which dates make rows, once each, whatever ends in between; what their state follows from; their place in
// the log. How clients see them: tests/transcripts/schedules*.txt. Dates are of 2023-11-14, 22:13:20 UTC on.
#include <boost/test/unit_test.hpp>

#include "tests/support/metrics.h"
#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;

std::shared_ptr<TableDeclaration const> keyless(Texts const& options = {}) {
  auto out = std::make_shared<TableDeclaration>(*declare(options));
  out->schema.key = {};
  out->options = fastjournal::test::options_of(*journal_type(), options);
  return out;
}

struct ScheduleFixture : Harness {
  ScheduleFixture() : Harness(keyless()) {}
  explicit ScheduleFixture(Texts const& options) : Harness(keyless(options)) {}

  Reply schedule(Texts more = {}) {
    Texts all{{"schedule", "s"}, {"every", std::to_string(kHour)}, {"v", "{schedule} {date}"}};
    for (auto& [name, value] : more) all[name] = value;
    std::erase_if(all, [](auto const& one) { return one.second.empty(); });
    return run("SCHEDULE", all);
  }
  std::string of(std::string const& what) { return run("SCHEDULES", {{"schedule", "s"}}).get(what); }
  std::vector<std::string> values() {
    std::vector<std::string> out;
    Reply const rows = run("LIST", {});
    for (std::size_t i = 0; i < rows.messages.size(); ++i)
      if (rows.name(i) == "ROW") out.push_back(rows.get("v", i));
    return out;
  }
  std::string done() {
    Reply const row = run("NEXT", {});
    run("DONE", {{"row", row.get("row")}, {"epoch", row.get("epoch")}});
    return row.get("row");
  }
  void fail() {
    Reply const row = run("NEXT", {});
    run("FAIL", {{"row", row.get("row")}, {"epoch", row.get("epoch")}});
  }
  // From the first full hour on.
  void to_full_hour() { pass(kHour - now.value % kHour); }
};

struct TightFixture : ScheduleFixture {
  TightFixture() : ScheduleFixture(Texts{{"rows-max", "1"}}) {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_schedules)

BOOST_FIXTURE_TEST_CASE(each_date_makes_its_row_at_its_date, ScheduleFixture) {
  Reply const made = schedule({{"overlap", "all"}});
  BOOST_REQUIRE_EQUAL(made.name(), "SCHEDULED");
  BOOST_TEST(made.get("result") == "made");
  BOOST_TEST(made.get("next_date") == "1700002800000");  // 23:00
  pass(1700002800000 - now.value - 1);
  BOOST_TEST(values().empty());
  pass(1);
  BOOST_REQUIRE_EQUAL(values().size(), 1U);
  BOOST_TEST(values()[0] == "s 2023-11-14T23:00:00.000Z");
  pass(2 * kHour);
  BOOST_TEST(values().size() == 3U);
  BOOST_TEST(of("made") == "3");
  BOOST_TEST(of("last_date") == "1700010000000");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_schedule_that_is_given_again_is_unchanged, ScheduleFixture) {
  schedule();
  std::uint64_t const before = digest_of(*table);
  pass(kHour / 4);
  BOOST_TEST(schedule().get("result") == "unchanged");
  BOOST_TEST(digest_of(*table) == before);
  BOOST_TEST(schedule({{"priority", "5"}}).get("result") == "changed");
  BOOST_TEST(digest_of(*table) != before);
}

BOOST_FIXTURE_TEST_CASE(what_is_no_schedule_is_refused, ScheduleFixture) {
  BOOST_TEST(schedule({{"schedule", "two words"}}).error() == "bad_parameter");
  BOOST_TEST(schedule({{"every", ""}}).error() == "bad_parameter");
  BOOST_TEST(schedule({{"cron", "* * * * *"}}).error() == "bad_parameter");
  BOOST_TEST(schedule({{"every", ""}, {"cron", "99 * * * *"}}).error() == "bad_parameter");
  BOOST_TEST(schedule({{"time_zone", "Europe/Nowhere"}}).error() == "bad_parameter");
  BOOST_TEST(schedule({{"v", std::string(7000, 'v')}}).error() == "too_large");
  BOOST_TEST(schedule({{"begins", "1800000000000"}, {"ends", "1750000000000"}}).error() == "bad_parameter");
  BOOST_TEST(run("UNSCHEDULE", {{"schedule", "s"}}).error() == "not_found");
  BOOST_TEST(run("TRIGGER", {{"schedule", "s"}}).error() == "not_found");
  BOOST_TEST(run("PAUSE", {{"schedule", "s"}}).error() == "not_found");
  BOOST_TEST(run("SCHEDULES", {{"schedule", "s"}}).error() == "not_found");
  BOOST_TEST(run("SCHEDULES", {}).name() == "NOTHING");
}

BOOST_FIXTURE_TEST_CASE(a_removed_schedule_leaves_its_rows_and_nothing_in_the_log, ScheduleFixture) {
  schedule();
  to_full_hour();
  BOOST_TEST(run("UNSCHEDULE", {{"schedule", "s"}}).name() == "UNSCHEDULED");
  pass(3 * kHour);
  BOOST_TEST(values().size() == 1U);
  done();
  BOOST_TEST(table->live_bytes() == 0U);
  BOOST_TEST(table->oldest_lsn().is_none());
  BOOST_TEST(table->schedules().memory_bytes() == 0U);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_date_is_skipped_while_a_row_has_not_ended, ScheduleFixture) {
  schedule();
  to_full_hour();
  pass(2 * kHour);
  BOOST_TEST(values().size() == 1U);
  BOOST_TEST(of("skipped") == "2");
  BOOST_TEST(of("last_result") == "running");
  done();
  BOOST_TEST(of("last_result") == "done");
  BOOST_TEST(of("running") == "0");
  pass(kHour);
  BOOST_TEST(values().size() == 1U);
  BOOST_TEST(of("made") == "2");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(one_date_waits_for_the_end_of_the_row_before, ScheduleFixture) {
  schedule({{"overlap", "one"}});
  to_full_hour();
  pass(2 * kHour);
  BOOST_TEST(values().size() == 1U);
  BOOST_TEST(of("waiting_date") == "1700006400000");
  BOOST_TEST(of("skipped") == "1");
  restart();
  done();
  timers();
  BOOST_REQUIRE_EQUAL(values().size(), 1U);
  BOOST_TEST(values()[0] == "s 2023-11-15T00:00:00.000Z");
  BOOST_TEST(of("waiting_date") == "-");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(of_missed_dates_none_the_last_or_all_make_rows, ScheduleFixture) {
  for (char const* const policy : {"none", "last", "all"})
    schedule({{"schedule", policy}, {"catch_up", policy}, {"overlap", "all"}});
  to_full_hour();
  BOOST_TEST(values().size() == 3U);
  restart(3 * kHour + 2 * kMinute);
  std::vector<std::string> const expected = {"last 2023-11-15T02:00:00.000Z", "all 2023-11-15T00:00:00.000Z",
                                             "all 2023-11-15T01:00:00.000Z", "all 2023-11-15T02:00:00.000Z"};
  std::vector<std::string> found = values();
  found.erase(found.begin(), found.begin() + 3);
  std::ranges::sort(found);
  std::vector<std::string> sorted = expected;
  std::ranges::sort(sorted);
  BOOST_TEST(found == sorted, boost::test_tools::per_element());
  BOOST_TEST(run("SCHEDULES", {{"schedule", "none"}}).get("missed") == "3");
  BOOST_TEST(run("SCHEDULES", {{"schedule", "last"}}).get("missed") == "2");
  BOOST_TEST(run("SCHEDULES", {{"schedule", "all"}}).get("missed") == "0");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_date_of_this_minute_is_not_missed, ScheduleFixture) {
  schedule({{"catch_up", "none"}, {"overlap", "all"}});
  to_full_hour();
  restart(2 * kHour + kMinute);
  BOOST_TEST(values().size() == 2U);
  BOOST_TEST(of("missed") == "1");
}

BOOST_FIXTURE_TEST_CASE(missed_dates_are_bounded_by_their_window_and_their_number, ScheduleFixture) {
  schedule({{"catch_up", "all"}, {"overlap", "all"}, {"catch_up_window", std::to_string(5 * kHour)}});
  schedule({{"schedule", "t"}, {"catch_up", "all"}, {"overlap", "all"}, {"catch_up_max", "2"}});
  to_full_hour();
  restart(10 * kHour + 2 * kMinute);
  BOOST_TEST(of("made") == "6");  // the one before, and those of five hours
  BOOST_TEST(of("missed") == "5");
  Reply const t = run("SCHEDULES", {{"schedule", "t"}});
  BOOST_TEST(t.get("made") == "3");
  BOOST_TEST(t.get("missed") == "8");
}

BOOST_FIXTURE_TEST_CASE(a_paused_schedule_makes_no_rows_until_it_is_resumed, ScheduleFixture) {
  schedule({{"overlap", "all"}});
  to_full_hour();
  BOOST_TEST(run("PAUSE", {{"schedule", "s"}, {"reason", "r"}}).get("schedule") == "s");
  BOOST_TEST(of("state") == "paused");
  BOOST_TEST(of("reason") == "r");
  BOOST_TEST(table->schedules().next_wake() == INT64_MAX);
  pass(3 * kHour + 2 * kMinute);
  BOOST_TEST(values().size() == 1U);
  restart();
  BOOST_TEST(run("RESUME", {{"schedule", "s"}}).get("was") == "paused");
  timers();
  BOOST_TEST(values().size() == 2U);  // the last of three
  BOOST_TEST(of("missed") == "2");
  BOOST_TEST(run("RESUME", {{"schedule", "s"}}).get("was") == "open");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_schedule_pauses_itself_after_failures, ScheduleFixture) {
  schedule({{"pause_after", "2"}});
  to_full_hour();
  fail();
  pass(kHour);
  done();
  BOOST_TEST(of("failures_in_row") == "0");
  for (int i = 0; i < 2; ++i) {
    pass(kHour);
    fail();
  }
  timers();
  BOOST_TEST(of("state") == "paused");
  BOOST_TEST(of("by") == "fastjournal");
  BOOST_TEST(alerts.raised.contains("schedule-paused"));
  restart();
  BOOST_TEST(of("failed") == "3");
  run("RESUME", {{"schedule", "s"}});
  timers();
  BOOST_TEST(of("state") == "active");
  BOOST_TEST(!alerts.raised.contains("schedule-paused"));
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(without_success_for_long_an_alert_is_raised, ScheduleFixture) {
  schedule({{"alert_after", std::to_string(90 * kMinute)}});
  to_full_hour();
  pass(100 * kMinute - kHour);
  BOOST_TEST(!alerts.raised.contains("schedule-late"));
  pass(kHour);
  BOOST_TEST(alerts.raised.contains("schedule-late"));
  BOOST_TEST(of("late") == "1");
  done();
  timers();
  pass(kHour);
  done();
  pass(1);
  BOOST_TEST(!alerts.raised.contains("schedule-late"));
  BOOST_TEST(of("late") == "-");
}

BOOST_FIXTURE_TEST_CASE(a_trigger_makes_a_row_at_once, ScheduleFixture) {
  schedule();
  to_full_hour();
  pass(kMinute);
  Reply const made = run("TRIGGER", {{"schedule", "s"}});
  BOOST_TEST(made.name() == "TRIGGERED");
  BOOST_TEST(values().size() == 2U);
  BOOST_TEST(of("last_row") == made.get("row"));
  BOOST_TEST(of("next_date") == "1700006400000");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_backfill_makes_each_date_of_its_range_once, ScheduleFixture) {
  schedule();
  Texts const range{{"schedule", "s"}, {"from_date", "1699990000000"}, {"to_date", "1700000000000"}, {"count", "2"}};
  Reply const first = run("BACKFILL", range);
  BOOST_TEST(first.get("count") == "2");
  BOOST_TEST(first.get("complete") == "0");
  restart();
  Reply const second = run("BACKFILL", range);
  BOOST_TEST(second.get("count") == "1");
  BOOST_TEST(second.get("complete") == "1");
  Reply const third = run("BACKFILL", range);
  BOOST_TEST(third.get("count") == "0");
  BOOST_TEST(third.get("complete") == "1");
  std::vector<std::string> const expected = {"s 2023-11-14T20:00:00.000Z", "s 2023-11-14T21:00:00.000Z",
                                             "s 2023-11-14T22:00:00.000Z"};
  BOOST_TEST(values() == expected, boost::test_tools::per_element());
  BOOST_TEST(run("BACKFILL", {{"schedule", "s"}, {"from_date", "1"}, {"to_date", "1800000000000"}}).error() ==
             "bad_parameter");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_backfill_ends_where_too_many_rows_have_not, ScheduleFixture) {
  schedule();
  Texts const range{{"schedule", "s"}, {"from_date", "1690000000000"}, {"to_date", "1700000000000"}, {"count", "400"}};
  BOOST_TEST(run("BACKFILL", range).get("count") == "400");
  Reply const second = run("BACKFILL", range);
  BOOST_TEST(second.get("count") == "100");
  BOOST_TEST(second.get("complete") == "0");
  BOOST_TEST(run("BACKFILL", range).error() == "over_limit");
  BOOST_TEST(run("TRIGGER", {{"schedule", "s"}}).error() == "over_limit");
  done();
  BOOST_TEST(run("BACKFILL", range).get("count") == "1");
  // All of it fits into one step.
  log.skip(1U << 20U);
  compact(log.end(), kStepBytesMax);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_full_table_is_as_a_daemon_that_is_down, TightFixture) {
  schedule({{"overlap", "all"}, {"catch_up", "all"}});
  run("INSERT", {{"v", "other"}});
  to_full_hour();
  BOOST_TEST(values().size() == 1U);
  pass(kHour);
  done();
  pass(1000);
  BOOST_REQUIRE_EQUAL(values().size(), 1U);
  BOOST_TEST(values()[0] == "s 2023-11-14T23:00:00.000Z");
  done();
  pass(1000);
  BOOST_TEST(values()[0] == "s 2023-11-15T00:00:00.000Z");
  BOOST_TEST(of("made") == "2");
}

BOOST_FIXTURE_TEST_CASE(a_table_that_drains_takes_no_rows_of_schedules, ScheduleFixture) {
  schedule({{"catch_up", "none"}});
  run("DRAIN", {});
  to_full_hour();
  BOOST_TEST(values().empty());
  BOOST_TEST(run("TRIGGER", {{"schedule", "s"}}).error() == "paused");
  pass(2 * kMinute);
  run("RESUME", {});
  timers();
  BOOST_TEST(values().empty());
  BOOST_TEST(of("missed") == "1");
}

BOOST_FIXTURE_TEST_CASE(rows_that_are_late_expire_as_late, ScheduleFixture) {
  schedule({{"expires_in", std::to_string(kHour / 2)}});
  to_full_hour();
  BOOST_TEST(values().size() == 1U);
  pass(kHour / 2);
  BOOST_TEST(values().empty());
  BOOST_TEST(of("last_result") == "expired");
  BOOST_TEST(of("failed") == "1");
  restart(kHour + kHour / 2 - kMinute * 10);
  BOOST_TEST(values().size() == 1U);  // 00:00 is missed, and made 50 minutes late
}

BOOST_FIXTURE_TEST_CASE(a_clock_that_was_ahead_lets_dates_come_again, ScheduleFixture) {
  schedule({{"overlap", "all"}});
  to_full_hour();
  restart(1000 * kHour);
  BOOST_TEST(values().size() == 2U);
  restart(0, TimeMs{1700003000000});
  BOOST_TEST(of("next_date") == "1700006400000");
  pass(kHour);
  BOOST_TEST(values().size() == 3U);
  BOOST_TEST(values()[2] == "s 2023-11-15T00:00:00.000Z");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_schedule_outlives_its_records, ScheduleFixture) {
  schedule({{"overlap", "all"}});
  to_full_hour();
  pass(kHour);
  std::uint64_t const before = digest_of(*table);
  log.skip(1U << 20U);
  Lsn const below = log.end();
  compact(below);
  BOOST_TEST(digest_of(*table) == before);
  log.drop_below(table->oldest_lsn());
  restart();
  BOOST_TEST(digest_of(*table) == before);
  done();
  BOOST_TEST(of("last_result") == "running");  // the second one
  done();
  BOOST_TEST(of("last_result") == "done");
  BOOST_TEST(of("done") == "2");
}

// The rows began, and ended, before the base: the schedule knows of their ends from the records alone.
BOOST_FIXTURE_TEST_CASE(the_end_of_a_row_that_a_replay_does_not_know_counts, ScheduleFixture) {
  schedule({{"overlap", "all"}});
  to_full_hour();
  log.skip(1U << 20U);
  schedule({{"overlap", "all"}, {"priority", "7"}});  // stated again, behind the row
  done();
  BOOST_TEST(of("done") == "1");
  std::uint64_t const before = digest_of(*table);
  Lsn const base = table->oldest_lsn();
  BOOST_TEST(base.value > 1U << 19U);
  BOOST_TEST(digest_of(*replayed(base)) == before);
}

BOOST_FIXTURE_TEST_CASE(rows_tell_their_schedule, ScheduleFixture) {
  schedule();
  to_full_hour();
  Reply const row = run("LIST", {});
  BOOST_TEST(row.get("schedule") == "s");
  BOOST_TEST(row.get("schedule_date") == "1700002800000");
  BOOST_TEST(run("WHY", {{"row", row.get("row")}}).get("text").find("schedule s") != std::string::npos);
  Reply const leased = run("NEXT", {});
  BOOST_TEST(leased.get("schedule") == "s");
}

BOOST_AUTO_TEST_CASE(rows_of_one_key_merge_and_are_followed) {
  Harness h{declare({})};
  for (char const* const name : {"a", "b"})
    h.run("SCHEDULE", {{"schedule", name}, {"every", "60000"}, {"k", "key"}, {"v", name}, {"overlap", "all"}});
  h.pass(kMinute);
  Reply const rows = h.run("PEEK", {{"k", "key"}});
  BOOST_REQUIRE_EQUAL(rows.messages.size(), 1U);
  BOOST_TEST(rows.get("merges") == "1");
  Reply const leased = h.run("NEXT", {});
  h.pass(kMinute);  // two more, as one behind it
  BOOST_TEST(h.run("PEEK", {{"k", "key"}}).messages.size() == 2U);
  h.run("RELEASE", {{"row", leased.get("row")}, {"epoch", leased.get("epoch")}});  // which takes the other in
  BOOST_TEST(h.run("PEEK", {{"k", "key"}}).messages.size() == 1U);
  for (char const* const name : {"a", "b"}) BOOST_TEST(h.run("SCHEDULES", {{"schedule", name}}).get("running") == "1");
  Reply const last = h.run("NEXT", {});
  h.run("DONE", {{"row", last.get("row")}, {"epoch", last.get("epoch")}});
  for (char const* const name : {"a", "b"}) {
    Reply const one = h.run("SCHEDULES", {{"schedule", name}});
    BOOST_TEST(one.get("running") == "0");
    BOOST_TEST(one.get("last_result") == "done");
  }
  BOOST_TEST(h.replays());
}

BOOST_FIXTURE_TEST_CASE(many_schedules_of_one_date_make_their_rows_in_bounded_steps, ScheduleFixture) {
  for (int i = 0; i < 1000; ++i) schedule({{"schedule", "s" + std::to_string(i)}});
  to_full_hour();
  BOOST_TEST(table->rows().state().rows().size() == 1000U);
  BOOST_TEST(fastjournal::test::metrics_of(*table, now)["schedules"] == 1000);
  BOOST_TEST(run("SCHEDULES", {{"count", "7"}}).messages.size() == 7U);
  BOOST_TEST(replays());
}

BOOST_AUTO_TEST_SUITE_END()
