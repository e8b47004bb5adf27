// PAUSE, DRAIN, RESUME and pause-after-failures as objects in the log, the sentences of WHY, and the measurements of
// STATS. How clients see them: tests/transcripts.
#include <boost/test/unit_test.hpp>

#include "tests/support/metrics.h"
#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

std::map<std::string, std::int64_t> metrics(Harness const& h) { return fastjournal::test::metrics_of(*h.table, h.now); }

struct PauseFixture : Harness {
  PauseFixture() : Harness(Texts{{"back-off-jitter", "0"}, {"max-timeouts", "3"}, {"processing-timeout", "1h"}}) {}
  std::string why(std::string const& key, std::size_t message = 0) {
    return run("WHY", {{"k", key}}).get("text", message);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_pause)

BOOST_FIXTURE_TEST_CASE(a_pause_is_in_the_digest_and_outlives_its_record, PauseFixture) {
  std::uint64_t const open = digest_of(*table);
  run("PAUSE", {{"reason", "r"}});
  std::uint64_t const paused = digest_of(*table);
  BOOST_TEST(paused != open);
  BOOST_TEST(!table->oldest_lsn().is_none());
  log.skip(1U << 20U);
  compact(log.end());
  BOOST_TEST(digest_of(*table) == paused);
  log.drop_below(table->oldest_lsn());
  BOOST_TEST(log.stored().size() == 1U);
  restart();
  BOOST_TEST(digest_of(*table) == paused);
  BOOST_TEST(run("NEXT", {}).error() == "paused");
  run("RESUME", {});
  BOOST_TEST(digest_of(*table) == open);
  BOOST_TEST(table->oldest_lsn().is_none());
  BOOST_TEST(table->live_bytes() == 0U);
  BOOST_TEST(replays());
}

BOOST_FIXTURE_TEST_CASE(a_resume_about_a_pause_that_was_dropped_is_ignored, PauseFixture) {
  run("PAUSE", {});
  Lsn const after = log.end();
  run("RESUME", {});
  BOOST_TEST(digest_of(*replayed(after)) == digest_of(*table));
  // A RESUME of a pause that the log should still have is damage.
  auto twin = std::make_unique<journal::Journal>(TableContext{TableId{1}}, journal_type(), declaration);
  Alerts nobody;
  BOOST_TEST(!twin->apply(log.stored().back().view(), {.live = false, .now = {}, .base = Lsn{8}}, nobody));
}

BOOST_FIXTURE_TEST_CASE(a_paused_table_has_nothing_available, PauseFixture) {
  run("INSERT", {{"k", "a"}});
  BOOST_TEST(table->available({}) == 1U);
  run("PAUSE", {});
  BOOST_TEST(table->available({}) == 0U);
  Reply const next = run("NEXT", {});
  BOOST_TEST((next.take == Take::nothing));
  run("DRAIN", {});
  BOOST_TEST(table->available({}) == 1U);
}

BOOST_FIXTURE_TEST_CASE(reasons_are_shortened_and_long_names_refused, PauseFixture) {
  BOOST_TEST(run("PAUSE", {{"reason", std::string(5000, 'r')}}).get("reason").size() == 1024U);
  BOOST_TEST(run("PAUSE", {{"worker", std::string(300, 'w')}}).error() == "too_large");
  BOOST_TEST(replays());
}

BOOST_AUTO_TEST_CASE(leases_that_end_together_pause_the_table_once) {
  Harness h{{{"pause-after-failures", "5"}, {"max-timeouts", "0"}, {"processing-timeout", "1s"}}};
  for (int i = 0; i < 40; ++i) h.run("INSERT", {{"k", std::to_string(i)}});
  h.run("NEXT", {{"count", "40"}});
  h.pass(1000);
  BOOST_TEST(metrics(h)["rows_parked"] == 40);
  BOOST_TEST(metrics(h)["paused"] == 1);
  BOOST_TEST(h.alerts.raised.contains("paused"));
  std::size_t pauses = 0;
  for (auto const& record : h.log.stored()) pauses += record.type == 12 ? 1U : 0U;
  BOOST_TEST(pauses == 1U);
  BOOST_TEST(h.replays());
  h.restart();
  BOOST_TEST(metrics(h)["paused"] == 1);
  h.run("RESUME", {});
  BOOST_TEST(metrics(h)["failures_in_row"] == 0);
  BOOST_TEST(!h.alerts.raised.contains("paused"));
  h.pass(1000);
  BOOST_TEST(metrics(h)["paused"] == 0);
}

BOOST_FIXTURE_TEST_CASE(why_is_a_sentence_that_a_person_understands, PauseFixture) {
  run("INSERT", {{"k", "a"}, {"process_date", "+12000000"}});
  BOOST_TEST(why("a") == "It waits for its date, 2023-11-15T01:33:20.000Z, in 3 h 20 min.");
  run("INSERT", {{"k", "b"}, {"expiration_date", "+86400000"}});
  BOOST_TEST(why("b") ==
             "It is due since 2023-11-14T22:13:20.000Z (0 ms) and is the next one to be handed out; it expires at "
             "2023-11-15T22:13:20.000Z, in 1 d.");
  run("PAUSE", {{"worker", "anna"}, {"reason", "upgrade"}});
  BOOST_TEST(why("b") ==
             "It is due, but the table is paused by anna since 2023-11-14T22:13:20.000Z: upgrade; it expires at "
             "2023-11-15T22:13:20.000Z, in 1 d.");
  BOOST_TEST(why("a") ==
             "It waits for its date, 2023-11-15T01:33:20.000Z, in 3 h 20 min; besides, the table is paused by anna "
             "since 2023-11-14T22:13:20.000Z: upgrade.");
  run("RESUME", {});
  Reply const lease = run("NEXT", {}, 1, "w1");
  pass(90'000);
  run("INSERT", {{"k", "b"}});
  std::string const work =
      " since 2023-11-14T22:13:20.000Z (1 min 30 s) and may keep it until 2023-11-14T23:13:20.000Z, in 58 "
      "min "
      "30 s";
  BOOST_TEST(why("b", 0) == "It waits for row " + lease.get("row") +
                                " of the same key (one-at-a-time), which w1 has had" + work + ".");
  BOOST_TEST(why("b", 1) ==
             "Worker w1 has had it" + work + "; it expires at 2023-11-15T22:13:20.000Z, in 23 h 58 min.");
  run("FAIL", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}, {"error", "no such host"}});
  BOOST_TEST(
      why("b", 1) ==
      "It is parked since 2023-11-14T22:14:50.000Z after 1 attempt (1 failed, 0 timed out), 1 in its life: workers get "
      "it again after KICK, DELETE drops it, at 2023-12-14T22:14:50.000Z it goes by itself; the last error was: no "
      "such host; it "
      "expires at 2023-11-15T22:13:20.000Z, in 23 h 58 min.");
  run("DRAIN", {{"worker", "anna"}});
  BOOST_TEST(why("nobody") ==
             "There is no row of this key: it is done, deleted, expired or was never there; the table is draining by "
             "anna since 2023-11-14T22:14:50.000Z, so inserts are refused.");
}

BOOST_FIXTURE_TEST_CASE(why_tells_what_happened_so_far, PauseFixture) {
  change({{"processing-timeout", "10s"}, {"back-off-first", "1m"}, {"back-off-jitter", "0"}, {"max-timeouts", "3"}});
  run("INSERT", {{"k", "a"}});
  run("INSERT", {{"k", "a"}});
  Reply lease = run("NEXT", {});
  close(1);
  BOOST_TEST(why("a").find("; its connection is gone;") != std::string::npos);
  pass(10'000);
  BOOST_TEST(why("a") ==
             "It waits for its date, 2023-11-14T22:14:30.000Z, in 1 min; it timed out 1 time (given up above 3); 1 "
             "attempt in its life did not succeed (given up above 100); 1 later insert merged into it.");
  pass(60'000);
  lease = run("NEXT", {});
  run("RELEASE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}, {"error", "busy"}, {"process_date", "0"}});
  Reply const reason = run("WHY", {{"row", lease.get("row")}});
  BOOST_TEST(reason.get("error") == "busy");
  BOOST_TEST(reason.get("attempts") == "2");
  BOOST_TEST(reason.get("failures") == "1");
  BOOST_TEST(reason.get("timeouts") == "1");
  BOOST_TEST(reason.get("lifetime_timeouts") == "2");
  BOOST_TEST(why("a").find(
                 "; it failed 1 time (given up at 25); it timed out 1 time (given up above 3); 2 attempts in its life "
                 "did not succeed (given up above 100); the last error was: busy;") != std::string::npos);
  BOOST_TEST(reason.get("ahead") == "0");
}

BOOST_AUTO_TEST_CASE(a_quiet_table_takes_no_memory_for_what_it_might_measure) {
  Harness h;
  journal::Statistics const quiet;
  BOOST_TEST(quiet.memory_bytes() == 0U);
  std::uint64_t const before = h.table->memory_bytes();
  h.run("INSERT", {{"k", "a"}});
  h.pass(3'600'000);
  Reply const lease = h.run("NEXT", {});
  h.pass(3'000'000);
  h.run("DONE", {{"row", lease.get("row")}, {"epoch", lease.get("epoch")}});
  BOOST_TEST(metrics(h)["wait_ms_max"] == 3'600'000);
  BOOST_TEST(metrics(h)["processing_ms_max"] == 3'000'000);
  // A table that measured hours: the histograms take about 10 KiB, besides the table's first slab.
  BOOST_TEST(h.table->memory_bytes() - before < 128U << 10U);
}

BOOST_AUTO_TEST_SUITE_END()
