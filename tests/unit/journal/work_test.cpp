// What workers do: NEXT, TOUCH, DONE, RELEASE, FAIL, time-outs; and leases when a connection or the daemon ends.
#include <boost/test/unit_test.hpp>

#include <set>

#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

std::string work_at(Harness const& h, std::int64_t ms) { return std::to_string(h.now.value + ms); }

struct WorkFixture : Harness {
  WorkFixture() : Harness(Texts{{"back-off-jitter", "0"}, {"processing-timeout", "60s"}}) {}
};

Texts leased(Reply const& r) { return {{"row", r.get("row")}, {"epoch", r.get("epoch")}}; }
Texts with(Texts texts, std::string const& name, std::string const& value) {
  texts[name] = value;
  return texts;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_work)

BOOST_FIXTURE_TEST_CASE(next_gives_by_priority_then_date_then_arrival, WorkFixture) {
  run("INSERT", {{"k", "late"}, {"priority", "10"}, {"process_date", "+20"}});
  run("INSERT", {{"k", "early"}, {"priority", "10"}, {"process_date", "+10"}});
  run("INSERT", {{"k", "low1"}, {"priority", "200"}});
  run("INSERT", {{"k", "low2"}, {"priority", "200"}});
  pass(30);
  run("INSERT", {{"k", "now"}, {"priority", "10"}});
  run("INSERT", {{"k", "top"}, {"priority", "0"}});
  for (char const* expected : {"top", "early", "late", "now", "low1", "low2"})
    BOOST_TEST(run("NEXT", {}).get("k") == expected);
  BOOST_TEST(run("NEXT", {}).name() == "NOTHING");
}

BOOST_FIXTURE_TEST_CASE(a_row_says_all_that_a_worker_needs, WorkFixture) {
  run("INSERT", {{"k", "a"}, {"v", "1"}, {"priority", "7"}, {"insertion_date", "1234"}});
  pass(5);
  Reply const r = run("NEXT", {{"lease", "500"}});
  BOOST_TEST(r.name() == "ROW");
  BOOST_TEST(r.get("table") == "jobs");
  BOOST_TEST(r.get("row") == "4096");
  BOOST_TEST(r.get("epoch") == std::to_string((std::uint64_t{1} << 40U) + 1));
  BOOST_TEST(r.get("k") == "a");
  BOOST_TEST(r.get("v") == "1");
  BOOST_TEST(r.get("priority") == "7");
  BOOST_TEST(r.get("process_date") == work_at(*this, -5));
  BOOST_TEST(r.get("insertion_date") == "1234");
  BOOST_TEST(r.get("timeouts") == "0");
  BOOST_TEST(r.get("lease_end") == work_at(*this, 500));
  BOOST_TEST((r.durability == Durability::written));
  BOOST_TEST((r.take == Take::found));
}

BOOST_FIXTURE_TEST_CASE(nothing_tells_the_next_date_of_a_row_or_a_lease, WorkFixture) {
  Reply r = run("NEXT", {});
  BOOST_TEST(r.name() == "NOTHING");
  BOOST_TEST(r.get("next_date") == "-");
  BOOST_TEST((r.take == Take::nothing));
  run("INSERT", {{"k", "a"}, {"process_date", "+90000"}});
  BOOST_TEST(run("NEXT", {}).get("next_date") == work_at(*this, 90'000));
  run("INSERT", {{"k", "b"}});
  run("NEXT", {});
  BOOST_TEST(run("NEXT", {}).get("next_date") == work_at(*this, 60'000));
}

BOOST_FIXTURE_TEST_CASE(next_gives_many_rows_at_once, WorkFixture) {
  for (int i = 0; i < 5; ++i) run("INSERT", {{"k", std::to_string(i)}});
  Reply const r = run("NEXT", {{"count", "3"}});
  BOOST_REQUIRE(r.messages.size() == 3U);
  BOOST_TEST(r.get("k", 2) == "2");
  BOOST_TEST(run("NEXT", {{"count", "64"}}).messages.size() == 2U);
  BOOST_TEST(run("NEXT", {{"count", "1025"}}).error() == "bad_parameter");
}

BOOST_FIXTURE_TEST_CASE(a_long_answer_stops_early, WorkFixture) {
  for (int i = 0; i < 5; ++i) run("INSERT", {{"k", std::to_string(i)}, {"v", std::string(600'000, 'x')}});
  BOOST_TEST(run("NEXT", {{"count", "5"}}).messages.size() == 2U);
  BOOST_TEST(run("NEXT", {{"count", "5"}}).messages.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(next_can_wait_and_its_wait_can_be_over, WorkFixture) {
  Reply r = run("NEXT", {{"wait", "5000"}, {"request", "1"}});
  BOOST_TEST((r.verdict == Verdict::wait));
  BOOST_TEST(r.wait_until.value == now.value + 5000);
  BOOST_TEST((r.take == Take::no));
  r = run("NEXT", {{"wait", "5000"}, {"request", "1"}}, 1, "w", true);
  BOOST_TEST((r.verdict == Verdict::done));
  BOOST_TEST(r.name() == "NOTHING");
}

BOOST_FIXTURE_TEST_CASE(no_domains_yet, WorkFixture) {
  BOOST_TEST(run("NEXT", {{"domain", "x"}}).error() == "not_supported");
}

BOOST_AUTO_TEST_CASE(leases_have_limits) {
  Harness h{{{"processing-timeout-min", "1s"}, {"processing-timeout-max", "2h"}}};
  BOOST_TEST(h.run("NEXT", {{"lease", "999"}}).error() == "bad_parameter");
  BOOST_TEST(h.run("NEXT", {{"lease", "7200001"}}).error() == "bad_parameter");
  BOOST_TEST(h.run("NEXT", {{"lease", "7200000"}}).error() == "");
}

BOOST_FIXTURE_TEST_CASE(done_deletes, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  Reply const lease = run("NEXT", {});
  Reply const r = run("DONE", leased(lease));
  BOOST_TEST(r.name() == "COMPLETED");
  BOOST_TEST(r.get("row") == "4096");
  BOOST_TEST((r.durability == Durability::synced));
  BOOST_TEST(table->state().rows().size() == 0U);
  BOOST_TEST(run("DONE", leased(lease)).error() == "unknown_row");
  BOOST_TEST(table->oldest_lsn().is_none());
}

BOOST_FIXTURE_TEST_CASE(done_with_next_hands_out_the_next_row, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  run("INSERT", {{"k", "b"}});
  Reply const lease = run("NEXT", {});
  Reply const r = run("DONE", with(leased(lease), "next", "1"));
  BOOST_REQUIRE(r.messages.size() == 2U);
  BOOST_TEST(r.name(0) == "COMPLETED");
  BOOST_TEST(r.name(1) == "ROW");
  BOOST_TEST(r.get("k", 1) == "b");
  BOOST_TEST((r.durability == Durability::synced));
  Reply const last = run("DONE", {{"row", r.get("row", 1)}, {"epoch", r.get("epoch", 1)}, {"next", "1"}});
  BOOST_TEST(last.name(1) == "NOTHING");
  BOOST_TEST((last.take == Take::nothing));
}

BOOST_FIXTURE_TEST_CASE(an_old_epoch_is_refused_and_told_who_holds_the_row, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  Reply const first = run("NEXT", {}, 1, "slow");
  pass(62'000);
  Reply const second = run("NEXT", {}, 2, "quick");
  BOOST_TEST(second.get("row") == first.get("row"));
  BOOST_TEST(second.get("epoch") != first.get("epoch"));
  for (char const* command : {"DONE", "TOUCH", "RELEASE", "FAIL"}) {
    Reply const r = run(command, leased(first));
    BOOST_TEST(r.error() == "stale_epoch");
    BOOST_TEST(r.status.facts()[0].second == "quick");
    BOOST_TEST(r.status.facts().size() == 1U);
  }
  run("RELEASE", leased(second));
  BOOST_TEST(run("DONE", leased(second)).error() == "not_leased");
}

BOOST_FIXTURE_TEST_CASE(touch_renews_from_now, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  Reply const lease = run("NEXT", {});
  pass(50'000);
  Reply const r = run("TOUCH", leased(lease));
  BOOST_TEST(r.name() == "TOUCHED");
  BOOST_TEST(r.get("epoch") == lease.get("epoch"));
  BOOST_TEST(r.get("lease_end") == work_at(*this, 60'000));
  BOOST_TEST((r.durability == Durability::written));
  pass(59'999);
  BOOST_TEST(run("DONE", leased(lease)).error() == "");
}

BOOST_FIXTURE_TEST_CASE(a_lease_that_ends_counts_and_backs_off, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  std::int64_t rest = 1000;
  for (int timeouts = 1; timeouts <= 5; ++timeouts, rest *= 2) {
    BOOST_TEST(run("NEXT", {}).name() == "ROW");
    pass(60'000);
    Reply const r = run("PEEK", {{"k", "a"}});
    BOOST_TEST(r.get("timeouts") == std::to_string(timeouts));
    BOOST_TEST(r.get("status") == "waiting");
    BOOST_TEST(r.get("process_date") == work_at(*this, rest));
    pass(rest);
  }
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(too_many_time_outs_park_the_row_and_raise_an_alert, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  for (int i = 0; i < 6; ++i) {
    BOOST_TEST(run("NEXT", {}).name() == "ROW");
    pass(200'000);
  }
  Reply const r = run("LIST", {{"status", "parked"}});
  BOOST_TEST(r.get("k") == "a");
  BOOST_TEST(r.get("timeouts") == "6");
  BOOST_TEST(alerts.raised.count("row-failed") == 1U);
  BOOST_TEST(alerts.raised["row-failed"].find("6 attempts (0 failed, 6 timed out), 6 in its life") !=
             std::string::npos);
  BOOST_TEST(run("NEXT", {}).name() == "NOTHING");
  run("DELETE", {{"k", "a"}});
  BOOST_TEST(alerts.raised.empty());
  BOOST_TEST(replays());
}

BOOST_AUTO_TEST_CASE(a_row_that_merges_forgive_is_told_of_once_it_timed_out_half_of_its_life) {
  Harness h{{{"max-lifetime-timeouts", "6"}, {"processing-timeout", "1s"}, {"back-off-first", "0"}}};
  auto const time_out = [&](std::string const& key, bool with_twin) {
    h.run("INSERT", {{"k", key}});
    BOOST_REQUIRE(h.run("NEXT", {}).get("k") == key);
    if (with_twin) h.run("INSERT", {{"k", key}});
    h.pass(1000);
  };
  time_out("a", false);
  time_out("a", true);
  BOOST_TEST(h.alerts.raised.empty());
  time_out("a", false);
  BOOST_TEST(h.alerts.raised["row-times-out"].find("timed out 3 times") != std::string::npos);
  BOOST_TEST(h.alerts.raised_calls == 1U);
  time_out("a", true);  // the row that is left is the twin
  BOOST_TEST(h.alerts.raised_calls == 2U);
  BOOST_TEST(h.alerts.raised.size() == 1U);
  BOOST_TEST(h.replays());
  h.run("DELETE", {{"k", "a"}});
  BOOST_TEST(h.alerts.raised.empty());
}

BOOST_AUTO_TEST_CASE(a_failed_row_may_be_deleted_instead) {
  Harness h{{{"when-failed", "delete"}, {"max-timeouts", "0"}, {"processing-timeout", "1s"}}};
  h.run("INSERT", {{"k", "a"}});
  h.run("NEXT", {});
  h.pass(1000);
  BOOST_TEST(h.table->state().rows().size() == 0U);
  BOOST_TEST(h.alerts.raised_calls == 1U);
  h.run("INSERT", {{"k", "a"}});
  Reply const lease = h.run("NEXT", {});
  BOOST_TEST(h.run("FAIL", leased(lease)).name() == "DELETED");
  BOOST_TEST(h.table->state().rows().size() == 0U);
}

BOOST_AUTO_TEST_CASE(a_poison_row_that_is_merged_again_and_again_is_noticed) {
  Harness h{{{"max-lifetime-timeouts", "3"}, {"processing-timeout", "1s"}, {"back-off-first", "0"}}};
  for (int i = 0; i < 4; ++i) {
    h.run("INSERT", {{"k", "a"}, {"v", std::to_string(i)}});
    BOOST_TEST(h.run("NEXT", {}).name() == "ROW");
    h.pass(1000);
  }
  BOOST_TEST(h.run("LIST", {{"status", "parked"}}).get("k") == "a");
}

BOOST_FIXTURE_TEST_CASE(release_gives_back_without_counting, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  Reply r = run("RELEASE", leased(run("NEXT", {})));
  BOOST_TEST(r.name() == "RELEASED");
  // Due at once, for any worker.
  BOOST_TEST(r.get("process_date") == work_at(*this, 0));
  r = run("RELEASE",
          with(with(with(leased(run("NEXT", {})), "process_date", "+5"), "error", "no disk"), "failed", "0"));
  BOOST_TEST(r.get("process_date") == work_at(*this, 5));
  Reply const peek = run("PEEK", {{"k", "a"}});
  BOOST_TEST(peek.get("timeouts") == "0");
  BOOST_TEST(peek.get("attempts") == "0");
  BOOST_TEST(peek.get("error") == "no disk");
  pass(5);
  BOOST_TEST(run("RELEASE", with(leased(run("NEXT", {})), "process_date", "17")).get("process_date") ==
             work_at(*this, 0));
  BOOST_TEST(run("NEXT", {}).get("attempts") == "0");
  BOOST_TEST(replays());
}

BOOST_AUTO_TEST_CASE(a_release_with_an_error_is_a_failed_attempt) {
  Harness h{{{"max-attempts", "4"}, {"back-off-first", "5s"}, {"back-off-jitter", "0"}, {"processing-timeout", "1s"}}};
  h.run("INSERT", {{"k", "a"}});
  auto const fail = [&] { return h.run("RELEASE", with(leased(h.run("NEXT", {})), "error", "exit status 1")); };
  BOOST_TEST(fail().get("process_date") == work_at(h, 5000));
  h.pass(5000);
  BOOST_TEST(fail().get("process_date") == work_at(h, 10'000));
  h.pass(10'000);
  // The back-off follows the sum of time-outs and failures; each has a limit of its own.
  BOOST_TEST(h.run("NEXT", {}).get("attempts") == "2");
  h.pass(1000);
  Reply peek = h.run("PEEK", {{"k", "a"}});
  BOOST_TEST(peek.get("attempts") == "3");
  BOOST_TEST(peek.get("timeouts") == "1");
  BOOST_TEST(peek.get("process_date") == work_at(h, 20'000));
  BOOST_TEST(h.replays());
  h.pass(20'000);
  BOOST_TEST(fail().get("process_date") == work_at(h, 40'000));
  h.pass(40'000);
  BOOST_TEST(fail().name() == "PARKED");
  peek = h.run("PEEK", {{"k", "a"}});
  BOOST_TEST(peek.get("status") == "parked");
  BOOST_TEST(peek.get("attempts") == "5");
  BOOST_TEST(peek.get("error") == "exit status 1");
  BOOST_TEST(h.alerts.raised["row-failed"].find("5 attempts (4 failed, 1 timed out), 5 in its life") !=
             std::string::npos);
  BOOST_TEST(h.replays());
  // KICK resets both counts, but not the counts of the row's life.
  h.run("KICK", {{"k", "a"}});
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("attempts") == "0");
  BOOST_TEST(h.run("WHY", {{"k", "a"}}).get("lifetime_timeouts") == "5");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(without_max_attempts_only_the_life_ends_failures) {
  Harness h{{{"max-attempts", "0"}, {"max-lifetime-timeouts", "30"}, {"back-off-first", "0"}}};
  h.run("INSERT", {{"k", "a"}});
  for (int i = 0; i < 30; ++i)
    BOOST_TEST(h.run("RELEASE", with(leased(h.run("NEXT", {})), "failed", "1")).name() == "RELEASED");
  BOOST_TEST(h.run("RELEASE", with(leased(h.run("NEXT", {})), "failed", "1")).name() == "PARKED");
}

BOOST_AUTO_TEST_CASE(a_merge_forgets_failures_and_folding_carries_them) {
  Harness h{{{"back-off-first", "0"}, {"back-off-jitter", "0"}}};
  h.run("INSERT", {{"k", "a"}});
  auto const fail = [&] { h.run("RELEASE", with(leased(h.run("NEXT", {})), "error", "no")); };
  fail();
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("attempts") == "1");
  h.run("INSERT", {{"k", "a"}});
  BOOST_TEST(h.run("PEEK", {{"k", "a"}}).get("attempts") == "0");
  fail();
  Reply const lease = h.run("NEXT", {});
  h.run("INSERT", {{"k", "a"}});  // the twin
  BOOST_TEST(h.run("RELEASE", with(leased(lease), "error", "no")).get("row") == lease.get("row"));
  Reply const left = h.run("PEEK", {{"k", "a"}});
  BOOST_TEST(left.get("row") != lease.get("row"));
  BOOST_TEST(left.get("attempts") == "2");
  BOOST_TEST(h.run("WHY", {{"k", "a"}}).get("lifetime_timeouts") == "3");
  BOOST_TEST(h.replays());
}

BOOST_AUTO_TEST_CASE(a_failure_too_many_deletes_where_the_table_says_so) {
  Harness h{{{"max-attempts", "1"}, {"when-failed", "delete"}}};
  h.run("INSERT", {{"k", "a"}});
  BOOST_TEST(h.run("RELEASE", with(leased(h.run("NEXT", {})), "error", "no")).name() == "DELETED");
  BOOST_TEST(h.table->state().rows().size() == 0U);
  BOOST_TEST(h.alerts.raised["row-deleted"].find("1 attempt (1 failed, 0 timed out), 1 in its life") !=
             std::string::npos);
  // A row that expired while it was processed is deleted as well, but that is no failure.
  h.run("INSERT", {{"k", "b"}, {"expiration_date", "+5"}});
  Reply const lease = h.run("NEXT", {});
  h.pass(5);
  BOOST_TEST(h.run("RELEASE", leased(lease)).name() == "DELETED");
  h.run("INSERT", {{"k", "b"}, {"expiration_date", "+5"}});
  Reply const second = h.run("NEXT", {});
  h.pass(5);
  BOOST_TEST(h.run("FAIL", leased(second)).name() == "DELETED");
  BOOST_TEST(h.alerts.raised_calls == 1U);
}

BOOST_AUTO_TEST_CASE(failures_in_a_row_pause_a_table_also_by_release) {
  Harness h{{{"max-attempts", "1"}, {"pause-after-failures", "2"}}};
  for (char const* key : {"a", "b", "c"}) h.run("INSERT", {{"k", key}});
  for (int i = 0; i < 2; ++i) h.run("RELEASE", with(leased(h.run("NEXT", {})), "error", "no"));
  BOOST_TEST(h.run("NEXT", {}).error() == "paused");
}

BOOST_AUTO_TEST_CASE(jitter_is_the_same_at_every_replay_and_within_its_percent) {
  Harness h{{{"back-off-jitter", "10"}, {"back-off-first", "100s"}}};
  std::set<std::string> dates;
  for (int i = 0; i < 20; ++i) {
    h.run("INSERT", {{"k", std::to_string(i)}});
    Reply const r = h.run("RELEASE", with(leased(h.run("NEXT", {})), "failed", "1"));
    std::int64_t const rest = std::stoll(r.get("process_date")) - h.now.value;
    BOOST_TEST(rest >= 100'000);
    BOOST_TEST(rest <= 110'000);
    dates.insert(r.get("process_date"));
  }
  BOOST_TEST(dates.size() > 10U);
}

BOOST_FIXTURE_TEST_CASE(fail_parks_at_once_with_its_error, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  Reply const r = run("FAIL", with(leased(run("NEXT", {})), "error", std::string(2000, 'e')));
  BOOST_TEST(r.name() == "PARKED");
  Reply const peek = run("PEEK", {{"k", "a"}});
  BOOST_TEST(peek.get("status") == "parked");
  BOOST_TEST(peek.get("error").size() == 1024U);
  BOOST_TEST(alerts.raised.count("row-failed") == 1U);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(while_memory_is_short_a_trace_has_the_room_of_an_error, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  short_of_memory = true;
  std::string const trace(20'000, 't');
  run("RELEASE",
      with(with(with(leased(run("NEXT", {})), "error", "broken"), "error_trace", trace), "process_date", "0"));
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error") == "broken");
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error_trace") == trace.substr(0, 1024 - 6));
  // Alone it still says that it failed.
  run("RELEASE", with(with(leased(run("NEXT", {})), "error_trace", trace), "process_date", "0"));
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("attempts") == "2");
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error_trace") == trace.substr(0, 1024));
  run("RELEASE", with(with(with(leased(run("NEXT", {})), "error", std::string(1024, 'e')), "error_trace", trace),
                      "process_date", "0"));
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error").size() == 1024U);
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error_trace") == "-");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_trace_is_kept_until_the_next_failure_and_shown_when_one_row_is_looked_at, WorkFixture) {
  std::string const trace = "Traceback:\n" + std::string(80'000, 't');
  std::uint64_t const bytes = table->live_bytes();
  run("INSERT", {{"k", "a"}});
  std::uint64_t const row = table->live_bytes() - bytes;
  run("RELEASE",
      with(with(with(leased(run("NEXT", {})), "error", "broken"), "error_trace", trace), "process_date", "0"));
  // What it costs is counted.
  BOOST_TEST(table->live_bytes() - bytes - row > 65'536U);
  BOOST_TEST(table->live_bytes() - bytes - row < 65'700U);
  for (std::string const reads : {"PEEK", "WHY"}) {
    Reply const one = run(reads, {{"k", "a"}});
    BOOST_TEST(one.get("error") == "broken", reads);
    BOOST_TEST(one.get("error_trace") == trace.substr(0, 65'536), reads);
    BOOST_TEST(one.get("text").find("Traceback") == std::string::npos);
  }
  BOOST_TEST(run("LIST", {{"error", "broken"}}).get("error_trace") == "-");
  BOOST_TEST(run("LIST", {{"error", "broken"}, {"traces", "1"}}).get("error_trace").size() == 65'536U);
  // Filters look at the error alone.
  BOOST_TEST(run("LIST", {{"error", "Traceback"}}).name() == "NOTHING");
  BOOST_TEST(replays());
  // A time-out says nothing of its own.
  run("NEXT", {{"lease", "1000"}});
  pass(1000);
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error_trace").size() == 65'536U);
  BOOST_TEST(replays());
  pass(100'000);
  run("RELEASE", with(with(leased(run("NEXT", {})), "error", "other"), "process_date", "0"));
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error") == "other");
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error_trace") == "-");
  // A trace alone says that it failed.
  Reply const parked = run("FAIL", with(leased(run("NEXT", {})), "error_trace", "at line 7"));
  BOOST_TEST(parked.name() == "PARKED");
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error") == "-");
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error_trace") == "at line 7");
  BOOST_TEST(alerts.raised["row-failed"].find("line 7") == std::string::npos);
  BOOST_TEST(replays());
  // KICK leaves it, and a merge begins anew.
  run("KICK", {{"k", "a"}});
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error_trace") == "at line 7");
  run("INSERT", {{"k", "a"}});
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("error_trace") == "-");
  BOOST_TEST(table->live_bytes() - bytes < row + 16);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_returned_row_folds_into_its_waiting_twin, WorkFixture) {
  run("INSERT", {{"k", "a"}, {"v", "1"}, {"priority", "20"}});
  run("NEXT", {});
  pass(10);
  Reply const twin = run("INSERT", {{"k", "a"}, {"v", "2"}, {"priority", "30"}});
  pass(60'000);
  Reply const r = run("PEEK", {{"k", "a"}});
  BOOST_TEST(r.messages.size() == 1U);
  BOOST_TEST(r.get("row") == twin.get("row"));
  BOOST_TEST(r.get("v") == "2");
  BOOST_TEST(r.get("priority") == "20");
  BOOST_TEST(r.get("timeouts") == "1");
  BOOST_TEST(r.get("merges") == "1");
  BOOST_TEST(replays());
  pass(1000);
  Reply const lease = run("NEXT", {});
  BOOST_TEST(lease.get("row") == twin.get("row"));
  // RELEASE folds in the same way.
  Reply const third = run("INSERT", {{"k", "a"}, {"v", "3"}});
  run("RELEASE", with(leased(lease), "process_date", "+7"));
  Reply const peek = run("PEEK", {{"k", "a"}});
  BOOST_TEST(peek.get("row") == third.get("row"));
  BOOST_TEST(peek.get("process_date") == work_at(*this, 7));
  BOOST_TEST(peek.get("timeouts") == "1");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_row_that_fails_frees_its_twin, WorkFixture) {
  run("INSERT", {{"k", "a"}, {"v", "1"}});
  Reply const lease = run("NEXT", {});
  run("INSERT", {{"k", "a"}, {"v", "2"}});
  run("FAIL", leased(lease));
  BOOST_TEST(run("NEXT", {}).get("v") == "2");
  BOOST_TEST(run("LIST", {{"status", "parked"}}).get("v") == "1");
}

BOOST_FIXTURE_TEST_CASE(a_closed_connection_gives_its_rows_back_after_the_grace, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  run("INSERT", {{"k", "b"}});
  run("NEXT", {}, 5);
  run("NEXT", {}, 6);
  close(5);
  BOOST_TEST(run("NEXT", {}).get("next_date") == work_at(*this, 10'000));
  pass(10'000);
  Reply const r = run("PEEK", {{"k", "a"}});
  BOOST_TEST(r.get("timeouts") == "1");
  BOOST_TEST(r.get("process_date") == work_at(*this, 1000));
  BOOST_TEST(run("PEEK", {{"k", "b"}}).get("status") == "processing");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(the_grace_never_makes_a_lease_longer, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  run("NEXT", {{"lease", "3000"}}, 5);
  close(5);
  pass(3000);
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("timeouts") == "1");
}

BOOST_FIXTURE_TEST_CASE(a_touch_from_a_new_connection_takes_the_lease_over, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  Reply const lease = run("NEXT", {}, 5, "first");
  close(5);
  pass(5000);
  BOOST_TEST(run("TOUCH", leased(lease), 6, "second").error() == "");
  pass(30'000);
  Reply const peek = run("PEEK", {{"k", "a"}});
  BOOST_TEST(peek.get("status") == "processing");
  BOOST_TEST(peek.get("worker") == "second");
  close(6);
  pass(10'000);
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("timeouts") == "1");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(many_leases_of_a_connection_are_given_back_in_steps, WorkFixture) {
  for (int i = 0; i < 500; ++i) run("INSERT", {{"k", std::to_string(i)}});
  run("NEXT", {{"count", "500"}}, 5, std::string(256, 'w'));
  close(5);
  pass(10'000);
  BOOST_TEST(table->state().leases().size() == 0U);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_restart_keeps_leases_for_the_grace, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  run("INSERT", {{"k", "b"}});
  Reply const a = run("NEXT", {{"lease", "2000"}}, 5);
  Reply const b = run("NEXT", {}, 5);
  restart(20'000);
  // The daemon was down for longer than a's lease, and would have ended b's later: their worker gets the grace.
  BOOST_TEST(run("PEEK", {{"k", "a"}}).get("lease_end") == work_at(*this, 10'000));
  BOOST_TEST(run("PEEK", {{"k", "b"}}).get("lease_end") == work_at(*this, 10'000));
  BOOST_TEST(run("DONE", leased(a), 9).error() == "");
  run("INSERT", {{"k", "c"}});
  Reply const c = run("NEXT", {}, 5);
  BOOST_TEST(c.get("epoch") == std::to_string((std::uint64_t{2} << 40U) + 1));
  // Connection numbers start again: this connection 5 is not the one that leased b.
  close(5);
  BOOST_TEST(run("PEEK", {{"k", "b"}}).get("lease_end") == work_at(*this, 10'000));
  BOOST_TEST(run("DONE", leased(b), 9).error() == "");
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(expired_rows_are_never_handed_out_or_shown, WorkFixture) {
  run("INSERT", {{"k", "a"}, {"expiration_date", "+1000"}});
  run("INSERT", {{"k", "b"}, {"expiration_date", "+1000"}, {"process_date", "+50000"}});
  run("INSERT", {{"k", "c"}, {"priority", "200"}});
  pass(999);
  BOOST_TEST(run("PEEK", {{"k", "a"}}).name() == "ROW");
  now = now + DurationMs{1};  // the timers have not run in this millisecond
  BOOST_TEST(run("PEEK", {{"k", "a"}}).error() == "unknown_row");
  BOOST_TEST(run("PEEK", {{"row", "4096"}}).error() == "unknown_row");
  BOOST_TEST(run("LIST", {}).messages.size() == 1U);
  BOOST_TEST(run("KICK", {{"k", "b"}}).error() == "unknown_row");
  BOOST_TEST(run("NEXT", {}).get("k") == "c");
  timers();
  BOOST_TEST(table->state().rows().size() == 1U);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(an_expired_row_that_is_leased_stays_until_its_lease_ends, WorkFixture) {
  run("INSERT", {{"k", "a"}, {"expiration_date", "+1000"}});
  run("INSERT", {{"k", "b"}, {"expiration_date", "+1000"}});
  run("INSERT", {{"k", "c"}, {"expiration_date", "+1000"}});
  Reply const a = run("NEXT", {});
  run("NEXT", {});
  Reply const c = run("NEXT", {});
  pass(5000);
  BOOST_TEST(run("TOUCH", leased(a)).error() == "expired");
  BOOST_TEST(run("DONE", leased(a)).name() == "COMPLETED");
  BOOST_TEST(run("RELEASE", leased(c)).get("process_date") == "-");
  BOOST_TEST(run("PEEK", {{"k", "c"}}).error() == "unknown_row");
  BOOST_TEST(table->state().rows().size() == 1U);
  pass(60'000);
  BOOST_TEST(table->state().rows().size() == 0U);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_crowd_that_expires_at_once_is_removed_in_steps, WorkFixture) {
  for (int i = 0; i < 3000; ++i) run("INSERT", {{"k", std::to_string(i)}, {"expiration_date", "+1000"}});
  now = now + DurationMs{1000};
  BOOST_TEST(run("NEXT", {}).name() == "NOTHING");
  timers();
  BOOST_TEST(table->state().rows().size() == 0U);
}

BOOST_FIXTURE_TEST_CASE(what_becomes_due_is_told_once_for_each_row, WorkFixture) {
  run("INSERT", {{"k", "a"}});
  run("INSERT", {{"k", "b"}, {"process_date", "+100"}});
  BOOST_TEST(alerts.available_calls == 1U);
  BOOST_TEST(table->available({}) == 1U);
  BOOST_TEST((table->next_due() == now + DurationMs{100}));
  pass(100);
  BOOST_TEST(alerts.available_calls == 2U);
  BOOST_TEST(table->available({}) == 2U);
  run("NEXT", {});
  BOOST_TEST(table->available({}) == 1U);
}

BOOST_AUTO_TEST_CASE(every_end_of_a_lease_is_told_once_with_its_connection) {
  Harness h;
  auto const held = [&h](std::uint64_t connection) { return h.alerts.held[ConnectionId{connection}]; };
  for (char const* key : {"a", "b", "c", "d", "e", "f"}) h.run("INSERT", {{"k", key}});
  std::vector<Texts> const rows = h.run("NEXT", {{"count", "6"}}, 7).messages;
  BOOST_TEST(held(7) == 6);
  auto const tell = [&](char const* command, std::size_t row, std::uint64_t connection = 7) {
    return h.run(command, {{"row", rows[row].at("row")}, {"epoch", rows[row].at("epoch")}}, connection).error();
  };
  BOOST_TEST(tell("DONE", 0).empty());
  BOOST_TEST(held(7) == 5);
  BOOST_TEST(tell("RELEASE", 1).empty());
  BOOST_TEST(held(7) == 4);
  BOOST_TEST(tell("FAIL", 2).empty());
  BOOST_TEST(held(7) == 3);
  BOOST_TEST(tell("TOUCH", 3).empty());
  BOOST_TEST(held(7) == 3);
  BOOST_TEST(tell("TOUCH", 3, 8).empty());  // adopted by another connection
  BOOST_TEST(held(7) == 2);
  h.run("DELETE", {{"row", rows[4].at("row")}}, 9);
  BOOST_TEST(held(7) == 1);
  h.pass(3'600'000);  // timed out
  BOOST_TEST(held(7) == 0);
}

BOOST_AUTO_TEST_CASE(what_is_due_is_found_by_id_in_bounded_looks_and_announced_with_its_key) {
  Harness h;
  h.run("INSERT", {{"k", "later"}, {"process_date", "+1000"}});
  for (char const* key : {"a", "b", "c"}) h.run("INSERT", {{"k", key}});
  h.run("NEXT", {});
  std::vector<ObjectId> found;
  std::string keys;
  ObjectId after;
  int pages = 0;
  do {
    ++pages;
    after = h.table->find_available({}, after, 1, found);
  } while (!after.is_none());
  for (ObjectId const object : found) {
    Answer answer;
    answer.message("LISTEN");
    BOOST_REQUIRE(h.table->announce(object, answer));
    for (Param const& param : answer.params())
      if (param.name == "k") keys += param.value.bytes;
  }
  BOOST_TEST(keys == "bc");
  BOOST_TEST(pages == 4);
  Answer answer;
  answer.message("LISTEN");
  BOOST_TEST(!h.table->announce(ObjectId{8}, answer));
}

BOOST_AUTO_TEST_SUITE_END()
