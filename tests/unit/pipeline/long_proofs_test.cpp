// The promises of pipeline tables by numbers, of what is large or lasts long (proofs_test.cpp has the others): a file with
// very many lines, time-outs, thousands that are tried again, a destination that is down. FJ_LINES chooses how many lines
// the file has; ./mk nightly runs it with a million (about a minute, and 700 MB).
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>

#include "base/bytes.h"
#include "tests/support/seed.h"
#include "tests/unit/pipeline/site.h"

namespace fastjournal::pipeline::test {

BOOST_AUTO_TEST_SUITE(pipeline_long_proofs)

// ---------------------------------------------------------------------------
// A large file

namespace {

// The lines of one file are its children, and the file itself goes nowhere.
class LongProofsLines : public Site {
 public:
  LongProofsLines() : Site(PlanText{}.source("s").safe("split", "0").idempotent("a", "1").text) {}

  Reply line(Reply const& file, std::size_t number, std::uint64_t connection) {
    return of("CHILD", file, {{"child", std::to_string(number)}, {"step", "split"}}, connection);
  }
  void deliver_line(Reply const& line) {
    sending(line, "a");
    receivers.take("a", line.get("child"));
    sent(line, "a");
  }
};

}  // namespace

// A tenth of the lines is finished when worker and daemon are killed: of a million, 100,000. 100 more are in its hands.
BOOST_AUTO_TEST_CASE(a_large_file_is_run_once_more_and_its_finished_lines_are_passed) {
  using Clock = std::chrono::steady_clock;
  auto const begun = Clock::now();
  std::size_t const lines = fastjournal::test::number_from("FJ_LINES", 10'000);
  std::size_t const finished = lines / 10;
  constexpr std::size_t kInHands = 100;
  LongProofsLines table;
  Reply const file = table.found("file", "1", {}, 3);
  for (std::size_t at = 0; at < finished + kInHands; ++at) {
    Reply const line = table.line(file, at, 3);
    if (at < finished) {
      table.deliver_line(line);
    } else if (at % 10 == 0) {
      table.failed(line, "a");
    } else if (at % 2 == 0) {
      // It came, and nobody has recorded that.
      table.sending(line, "a", 3);
      table.receivers.take("a", line.get("child"));
    }
  }
  table.restart();
  // Who has its lease may come back until the grace is over.
  table.pass(9'999);
  BOOST_TEST(table.next().name() == "NOTHING");
  table.pass(1);
  // One record hands out the file, and with it all that is missing below.
  std::size_t const records = table.log.stored().size();
  Reply const again = table.next({{"count", "1000"}}, 4);
  BOOST_TEST(table.log.stored().size() == records + 1);
  BOOST_TEST(again.messages.size() == 1U);
  BOOST_TEST(again.get("document") == file.get("document"));
  BOOST_TEST(again.get("children") == "1");
  auto const is_asked_in_vain = [&] {
    Reply const found = table.found("file", "1", {}, 5);
    return table.next({{"count", "1000"}}, 5).name() == "NOTHING" && found.get("change") == "processing" &&
           found.get("token") == "-";
  };
  BOOST_TEST(is_asked_in_vain());
  std::size_t skipped = 0;
  std::map<std::string, std::size_t> run;  // by `change`
  std::size_t in_vain = 0;
  // The run takes twenty minutes, and lasts by its heartbeats.
  std::int64_t const step_ms = std::max<std::int64_t>(1, 1'200'000 / static_cast<std::int64_t>(lines));
  for (std::size_t at = 0; at < lines; ++at) {
    table.pass(step_ms);
    if (at % (lines / 20) == 0) {
      BOOST_TEST_REQUIRE(table.of("HEARTBEAT", again, {}, 4).name() == "RECORDED");
      if (is_asked_in_vain()) ++in_vain;
    }
    Reply const line = table.line(again, at, 4);
    if (line.name() == "SKIP") {
      BOOST_TEST_REQUIRE(at == skipped);
      BOOST_TEST_REQUIRE(line.get("subtree") == "1");
      ++skipped;
      continue;
    }
    ++run[line.get("change")];
    table.deliver_line(line);
  }
  BOOST_TEST(in_vain == 20U);
  BOOST_TEST(skipped == finished);
  BOOST_TEST(run["resume"] == kInHands);
  BOOST_TEST(run["new"] == lines - finished - kInHands);
  BOOST_TEST(table.of("CHILDREN_DONE", again, {{"count", std::to_string(lines)}}).get("children") ==
             std::to_string(lines));
  BOOST_TEST(table.count("done", {{"count", "1"}}) > 0U);
  BOOST_TEST(table.found("file").get("change") == "processing");
  table.of("DROPPED", again);
  BOOST_TEST(table.found("file").get("change") == "unchanged");
  BOOST_TEST(table.receivers.documents("a") == lines);
  // What came and was not recorded came twice: the even ones of 100, without those that failed.
  BOOST_TEST(table.receivers.deliveries("a") == lines + 40);
  BOOST_TEST(table.number("a", "sent") == lines);
  BOOST_TEST(table.count("open") == 0U);
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.replays());
  std::chrono::duration<double> const took = Clock::now() - begun;
  BOOST_TEST_MESSAGE(lines << " lines, killed after " << finished << ": 1 run, " << skipped << " passed, "
                           << run["resume"] << " in hands and " << run["new"] << " new ones run, "
                           << table.receivers.deliveries("a") << " deliveries; " << took.count() << " s");
}

// ---------------------------------------------------------------------------
// Time

// All are begun at one time, and reported millisecond by millisecond around the end of their leases. The deadline is
// 60 s after the begin; what is reported within the 5 s that a worker has to stop counts.
BOOST_AUTO_TEST_CASE(late_reports_count_until_the_time_to_stop_is_over) {
  for (bool const at_least_once : {true, false}) {
    Site table{one_output(at_least_once), {{"failing", "0"}}};
    std::deque<Reply> const held = table.scan();
    for (Reply const& document : held) {
      BOOST_TEST(table.sending(document, "out").name() == "RUN");
      table.receivers.take("out", document.get("uri"));
    }
    table.pass(59'999);
    BOOST_TEST(table.of("HEARTBEAT", table.found("other")).name() == "RECORDED");
    table.pass(1);
    for (Reply const& document : held) {
      Reply const answer = table.of("HEARTBEAT", document);
      BOOST_TEST(answer.name() == "CANCELLED");
      BOOST_TEST(answer.get("reason") == "timed_out");
      BOOST_TEST(answer.get("lease_end") == std::to_string(table.now.value + 5'000));
    }
    table.pass(5'000 - static_cast<std::int64_t>(kDocuments / 2));
    BOOST_TEST(table.number("out", "sending") == kDocuments);
    std::size_t counted = 0;
    std::size_t refused = 0;
    for (Reply const& document : held) {
      Reply const report = table.sent(document, "out");
      if (report.status.ok()) {
        ++counted;
      } else {
        BOOST_TEST(report.error() == "stale_epoch");
        BOOST_TEST(table.states(document) == "out=error");
        ++refused;
      }
      table.pass(1);
    }
    if (at_least_once) {
      BOOST_TEST(counted == kDocuments / 2);
      BOOST_TEST(refused == kDocuments / 2);
    } else {
      // Nobody else has begun: the word of the worker ends the doubt.
      BOOST_TEST(counted == kDocuments);
      BOOST_TEST(refused == 0U);
    }
    table.pass(1'000);
    std::size_t again = 0;
    for (Reply document = table.next(); document.name() == "DOCUMENT"; document = table.next()) {
      BOOST_TEST(table.sending(document, "out").get("attempt") == "2");
      table.receivers.take("out", document.get("uri"));
      // The first worker speaks while the second one has it.
      Texts const old{{"token", held.front().get("token")}, {"destination", "out"}};
      BOOST_TEST(table.of("SENT", document, old).error() == "stale_epoch");
      BOOST_TEST(table.of("FAILED", document, old).error() == "stale_epoch");
      BOOST_TEST(table.sent(document, "out").get("status") == "sent");
      ++again;
    }
    BOOST_TEST(again == refused);
    BOOST_TEST(table.receivers.deliveries("out") == kDocuments + again);
    BOOST_TEST(table.number("out", "sent") == kDocuments);
    BOOST_TEST(table.replays());
    BOOST_TEST_MESSAGE((at_least_once ? "at least once" : "at most once")
                       << ", reports around the end of 44 leases: " << counted << " count, " << refused
                       << " are refused and sent again");
  }
}

// A document without a worker that may arrive once at most is in doubt when the time to stop is over; once an operator
// has decided, the worker's word does not count.
BOOST_AUTO_TEST_CASE(a_late_report_does_not_undo_what_a_person_resolved) {
  Site table{one_output(false), {{"failing", "0"}}};
  std::deque<Reply> const held = table.scan();
  for (Reply const& document : held) table.sending(document, "out");
  table.pass(65'000);
  BOOST_TEST(table.number("out", "in_doubt") == kDocuments);
  table.resolve();
  BOOST_TEST(table.were_not == kDocuments);
  std::size_t refused = 0;
  for (Reply const& document : held)
    for (Reply const& report : {table.sent(document, "out"), table.failed(document, "out")})
      if (report.error() == "stale_epoch") ++refused;
  BOOST_TEST(refused == 2 * kDocuments);
  table.bring_all();
  BOOST_TEST(table.receivers.deliveries("out") == kDocuments);
  BOOST_TEST_MESSAGE("44 in doubt and resolved as not sent: " << refused << " late reports refused, 44 sent");
}

// A failure that is reported in time keeps its class; nothing in time is a failure of class timeout, for good if so said.
BOOST_AUTO_TEST_CASE(a_failure_that_is_reported_in_time_is_that_and_no_time_out) {
  for (bool const is_permanent : {false, true}) {
    Site table{one_output(true, is_permanent ? "3 1000 2 600000 0 60000 5000 1" : PlanText{}.retry),
               {{"failing", "0"}}};
    std::deque<Reply> const held = table.scan();
    for (Reply const& document : held) table.sending(document, "out");
    table.pass(64'999);
    for (std::size_t at = 0; at < kDocuments / 2; ++at)
      BOOST_TEST(table.failed(held[at], "out", "own").get("status") == "error");
    table.pass(1);
    BOOST_TEST(table.number("out", "error") == (is_permanent ? kDocuments / 2 : kDocuments));
    BOOST_TEST(table.number("out", "error_doc") == (is_permanent ? kDocuments / 2 : 0U));
    BOOST_TEST(table.why(held.front()).find("own") != std::string::npos, table.why(held.front()));
    BOOST_TEST(table.why(held.back()).find("timeout") != std::string::npos, table.why(held.back()));
  }
}

// ---------------------------------------------------------------------------
// People

namespace {

// How often each document was set to that state by records from that one on.
std::map<std::uint64_t, std::size_t> changes_to(State state, Site const& table, std::size_t from) {
  std::map<std::uint64_t, std::size_t> out;
  for (std::size_t at = from; at < table.log.stored().size(); ++at) {
    auto const& record = table.log.stored()[at];
    StatusBody body;
    if (record.type == static_cast<std::uint8_t>(RecordType::status) &&
        model::read_body(as_text(record.view().body), 1, body) && body.to == state)
      ++out[record.object.value];
  }
  return out;
}

}  // namespace

// Pages of 1,000; the power goes in the middle of the sixth. `copied`: half of the documents were compacted before,
// so that the log has them in another order.
BOOST_AUTO_TEST_CASE(a_retry_of_10000_that_is_killed_half_way_goes_on_with_the_rest) {
  constexpr std::size_t kDead = 10'000;
  constexpr std::size_t kPage = 1'000;
  for (bool const copied : {false, true}) {
    Site table{one_output(true, "1 1000 2 600000 0 60000 5000 0"), {{"failing", "0"}}};
    for (std::size_t at = 0; at < kDead; ++at) {
      if (copied && at == kDead / 2) table.log.skip(2 * kOldestLsnGrain);
      table.failed(table.found(uri_of(at)), "out");
    }
    BOOST_TEST(table.number("out", "dead") == kDead);
    if (copied) {
      Lsn const below =
          Lsn{table.log.stored()[table.log.stored().size() / 2].lsn.value / kOldestLsnGrain * kOldestLsnGrain};
      table.compact(below);
      BOOST_TEST((table.table->oldest_lsn() >= below));
    }
    std::size_t const begun = table.log.stored().size();
    std::string after;
    std::vector<std::size_t> pages;
    auto const page = [&] {
      Texts with{{"status", "dead"}, {"count", std::to_string(kPage)}};
      if (!after.empty()) with["after"] = after;
      return table.run("RETRY", with);
    };
    auto const take = [&](Reply const& answer) {
      pages.push_back(std::stoull(answer.get("count")));
      after = answer.get("after");
    };
    BOOST_TEST(table.run("RETRY", {{"status", "dead"}, {"dry_run", "1"}, {"count", "10000"}}).get("count") == "10000");
    for (int at = 0; at < 5; ++at) take(page());
    // Half of its records are on the disk, and nobody has its answer.
    std::size_t const before = table.log.stored().size();
    BOOST_TEST(page().get("count") == std::to_string(kPage));
    table.log.cut(before + kPage / 2);
    table.restart();
    BOOST_TEST(table.number("out", "dead") == kDead - 5 * kPage - kPage / 2);
    while (after != "-") take(page());
    std::size_t sum = 0;
    for (std::size_t const count : pages) sum += count;
    BOOST_TEST(sum == kDead - kPage / 2);
    BOOST_TEST(table.number("out", "dead") == 0U);
    BOOST_TEST(table.number("out", "restart") == kDead);
    std::map<std::uint64_t, std::size_t> const retried = changes_to(State::restart, table, begun);
    BOOST_TEST(retried.size() == kDead);
    for (auto const& [document, times] : retried) BOOST_TEST_REQUIRE(times == 1U, document);
    table.bring_all();
    BOOST_TEST(table.receivers.documents("out") == kDead);
    BOOST_TEST(table.receivers.deliveries("out") == kDead);
    BOOST_TEST(table.number("out", "sent") == kDead);
    BOOST_TEST_MESSAGE("10000 dead, killed in the sixth page of 1000" << (copied ? ", half compacted" : "") << ": "
                                                                      << retried.size() << " retried once each, in "
                                                                      << pages.size() << " pages with an answer");
  }
}

// ---------------------------------------------------------------------------
// Everything fails

namespace {

// What is said of one alert.
struct Told final : NoObserver {
  std::size_t raised{0};
  std::size_t lowered{0};
  std::size_t others{0};
  bool is_up{false};
  void alert(std::string_view name, std::uint8_t, std::string_view, std::string_view) override {
    if (name == "failing") return;
    bool const is_it = name == "destination-paused";
    if (is_it && !is_up) ++raised;
    if (is_it) is_up = true;
    others += is_it ? 0 : 1;
  }
  void lower_alert(std::string_view name) override {
    if (name != "destination-paused" || !is_up) return;
    ++lowered;
    is_up = false;
  }
};

}  // namespace

// One of two destinations is down, with the options that a table has by itself: for ten minutes, with a kill in the
// middle, and for so long that each document is tried oftener than would make it dead.
BOOST_AUTO_TEST_CASE(a_destination_that_is_down_for_ten_minutes_loses_nothing) {
  struct Down {
    std::int64_t for_ms;
    bool is_killed;
    std::size_t probes;
  };
  for (Down const down : {Down{600'000, false, 19}, {600'000, true, 20}, {3 * 3'600'000, false, 359}}) {
    Site table;
    Told told;
    table.observer = &told;
    std::int64_t const begun = table.now.value;
    std::vector<std::int64_t> probes;  // when
    std::size_t failures = 0;
    auto const look_for_work = [&](bool is_down) {
      for (Reply document = table.next(); document.name() == "DOCUMENT"; document = table.next())
        for (std::string const& destination : words_of(document.get("destinations"))) {
          bool const is_probe = told.is_up;
          Reply const run = table.sending(document, destination);
          if (run.name() != "RUN") continue;
          BOOST_TEST(run.get("attempt") == "1");
          if (destination == "b" || !is_down) {
            table.receivers.take(destination, document.get("uri"));
            table.sent(document, destination);
            continue;
          }
          table.failed(document, destination, "down");
          ++failures;
          if (is_probe) probes.push_back(table.now.value - begun);
        }
    };
    for (std::size_t at = 0; at < kDocuments; ++at) table.found(uri_of(at), "1", {{"hand_out", "0"}});
    while (table.now.value - begun < down.for_ms) {
      look_for_work(true);
      table.pass(1'000);
      if (down.is_killed && table.now.value - begun == 310'000) table.restart();
    }
    BOOST_TEST(table.receivers.deliveries("b") == kDocuments);
    BOOST_TEST(table.receivers.deliveries("a") == 0U);
    BOOST_TEST(table.number("a", "dead") == 0U);
    BOOST_TEST(table.of_destination("a", "mode") == "probing");
    BOOST_TEST(told.is_up);
    BOOST_TEST(probes.size() == down.probes);
    BOOST_TEST(failures == 20 + down.probes);
    std::size_t on_time = 0;
    for (std::size_t at = 1; at < probes.size(); ++at) on_time += probes[at] - probes[at - 1] == 30'000 ? 1 : 0;
    // After a start one is tried at once.
    BOOST_TEST(on_time == down.probes - (down.is_killed ? 2 : 1));
    // It is up again: the next probe opens it, and all that rests follows.
    std::int64_t const up = table.now.value;
    while (table.number("a", "sent") < kDocuments && table.now.value - up < 60'000) {
      look_for_work(false);
      table.pass(1'000);
    }
    BOOST_TEST(table.number("a", "sent") == kDocuments);
    BOOST_TEST(table.receivers.deliveries("a") == kDocuments);
    BOOST_TEST(table.number("a", "dead") == 0U);
    BOOST_TEST(table.of_destination("a", "mode") == "open");
    BOOST_TEST(told.raised == 1U);
    BOOST_TEST(told.lowered == 1U);
    BOOST_TEST(told.others == 0U);
    BOOST_TEST(table.replays());
    BOOST_TEST_MESSAGE("down for " << down.for_ms / 60'000 << " minutes" << (down.is_killed ? ", with a kill" : "")
                                   << ": " << failures << " failures, " << probes.size() << " of them probes; 0 dead, "
                                   << told.raised << " alert; all 44 arrived " << (table.now.value - up) / 1000
                                   << " s after it was up");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
