// Documents that are made of documents.
#include <boost/test/unit_test.hpp>

#include "tests/unit/pipeline/harness.h"

namespace fastjournal::pipeline::test {

namespace {

// A table of lines: the file itself goes nowhere, its lines are indexed.
std::string split() { return PlanText{}.source("s").safe("split", "0").idempotent("a", "1").text; }

class Lines : public Harness {
 public:
  explicit Lines(std::string const& plan = split(), Texts const& options = {}) : Harness(plan, options) {}

  Reply child(Reply const& parent, std::string const& name, Texts more = {}, std::uint64_t connection = 1) {
    more["child"] = name;
    more.try_emplace("step", "split");
    return of("CHILD", parent, more, connection);
  }
  Reply done(Reply const& parent, std::size_t count) {
    return of("CHILDREN_DONE", parent, {{"count", std::to_string(count)}});
  }
  std::string original(Reply const& document, std::string const& what) {
    Reply const reply = run("DOCUMENTS", {{"count", "1000"}});
    for (std::size_t at = 0; at < reply.messages.size(); ++at)
      if (reply.get("document", at) == document.get("document")) return reply.get(what, at);
    return "";
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline_children)

BOOST_AUTO_TEST_CASE(an_original_is_done_when_all_that_is_made_of_it_is) {
  Lines table;
  Reply const file = table.found("file");
  table.of("DROPPED", file);
  BOOST_TEST(table.original(file, "done") == "1");
  Reply const again = table.found("file", "2");
  Reply const one = table.child(again, "1");
  BOOST_TEST(one.get("change") == "new");
  BOOST_TEST(one.get("parent") == again.get("document"));
  Reply const two = table.child(again, "2");
  table.of("DROPPED", again);
  BOOST_TEST(table.original(file, "done") == "-");
  table.deliver(one, "a");
  table.deliver(two, "a");
  // How many there are is not known.
  BOOST_TEST(table.original(file, "done") == "-");
  BOOST_TEST(table.done(again, 3).error() == "bad_parameter");
  BOOST_TEST(table.done(again, 2).get("children") == "2");
  BOOST_TEST(table.original(file, "done") == "1");
  BOOST_TEST(table.found("file", "2").get("change") == "unchanged");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_crash_among_many_children_runs_the_original_once_more) {
  Lines table;
  Reply const file = table.found("file", "1", {}, 3);
  table.of("DROPPED", file, {}, 3);
  BOOST_TEST(table.original(file, "done") == "1");
  Reply const start = table.run("FORCE", {{"document", file.get("document")}});
  BOOST_TEST(start.get("count") == "1");
  Reply const first = table.next({}, 3);
  for (int at = 0; at < 100; ++at) {
    Reply const line = table.child(first, std::to_string(at), {}, 3);
    if (at < 60) table.deliver(line, "a");
    if (at >= 60 && at < 70) table.failed(line, "a");
  }
  table.of("DROPPED", first, {}, 3);
  table.close(3);
  table.pass(9'999);
  BOOST_TEST(table.next().name() == "NOTHING");
  table.pass(1);
  Reply const second = table.next({{"count", "100"}}, 4);
  BOOST_TEST(second.messages.size() == 1U);
  BOOST_TEST(second.get("document") == file.get("document"));
  BOOST_TEST(second.get("children") == "1");
  BOOST_TEST(second.get("destinations") == "");
  BOOST_TEST(table.next({}, 5).name() == "NOTHING");
  int skipped = 0;
  int run = 0;
  for (int at = 0; at < 150; ++at) {
    Reply const line = table.child(second, std::to_string(at), {}, 4);
    if (line.name() == "SKIP") {
      BOOST_TEST(line.get("subtree") == "1");
      ++skipped;
      continue;
    }
    ++run;
    table.deliver(line, "a");
  }
  BOOST_TEST(skipped == 60);
  BOOST_TEST(run == 90);
  BOOST_TEST(table.done(second, 150).get("children") == "150");
  BOOST_TEST(table.original(file, "done") == "1");
  BOOST_TEST(table.of_destination("a", "sent") == "150");
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(failed_children_are_run_again_together_when_the_last_has_rested) {
  Lines table;
  Reply const file = table.found("file");
  std::vector<Reply> lines;
  for (int at = 0; at < 5; ++at) lines.push_back(table.child(file, std::to_string(at)));
  table.failed(lines[0], "a");
  table.pass(900);
  table.failed(lines[1], "a");
  table.deliver(lines[2], "a");
  table.of("DROPPED", file);
  table.done(file, 5);
  table.pass(5'000);
  // Two are under way.
  BOOST_TEST(table.next().name() == "NOTHING");
  table.failed(lines[3], "a");
  table.deliver(lines[4], "a");
  table.pass(999);
  BOOST_TEST(table.next().name() == "NOTHING");
  table.pass(1);
  Reply const again = table.next();
  BOOST_TEST(again.get("children") == "1");
  BOOST_TEST(table.child(again, "2").name() == "SKIP");
  for (std::string const name : {"0", "1", "3"})
    BOOST_TEST(table.deliver(table.child(again, name), "a").get("status") == "sent");
  BOOST_TEST(table.original(file, "done") == "1");
  table.done(again, 5);
  BOOST_TEST(table.next().name() == "NOTHING");
}

BOOST_AUTO_TEST_CASE(children_of_children) {
  Lines table;
  Reply const file = table.found("file");
  Reply const part = table.child(file, "part");
  Reply const line = table.child(part, "line", {{"step", "split"}});
  BOOST_TEST(line.get("original") == file.get("document"));
  BOOST_TEST(line.get("parent") == part.get("document"));
  table.of("DROPPED", file);
  table.of("DROPPED", part);
  table.done(file, 1);
  BOOST_TEST(table.original(file, "done") == "-");
  table.deliver(line, "a");
  BOOST_TEST(table.original(file, "done") == "-");
  // The run of the original is over, and so is who may say it.
  BOOST_TEST(table.done(part, 1).error() == "stale_epoch");
  BOOST_TEST(table.replays());

  Lines other;
  Reply const root = other.found("file");
  Reply at = root;
  for (int depth = 0; depth < 16; ++depth) at = other.child(at, "c");
  BOOST_TEST(other.child(at, "c").error() == "over_limit");
}

BOOST_AUTO_TEST_CASE(one_name_twice_in_a_run_is_refused) {
  Lines table;
  Reply const file = table.found("file");
  Reply const line = table.child(file, "1");
  BOOST_TEST(table.child(file, "1").error() == "in_use");
  Reply const again = table.child(file, "1", {{"again", "1"}});
  BOOST_TEST(again.get("document") == line.get("document"));
  BOOST_TEST(again.name() == "DOCUMENT");
  table.deliver(line, "a");
  BOOST_TEST(table.child(file, "1").name() == "SKIP");
}

BOOST_AUTO_TEST_CASE(children_that_a_changed_original_does_not_have_are_orphans) {
  Lines table;
  Reply const file = table.found("file");
  for (std::string const name : {"1", "2", "3"}) table.deliver(table.child(file, name), "a");
  table.of("DROPPED", file);
  table.done(file, 3);
  BOOST_TEST(table.count("orphans") == 0U);
  Reply const changed = table.found("file", "2");
  BOOST_TEST(table.count("orphans") == 3U);
  Reply const one = table.child(changed, "1");
  BOOST_TEST(one.get("change") == "changed");
  table.deliver(one, "a");
  BOOST_TEST(table.child(changed, "4").get("change") == "new");
  table.of("DROPPED", changed);
  BOOST_TEST(table.count("orphans") == 2U);
  BOOST_TEST(table.done(changed, 2).name() == "RECORDED");
  BOOST_TEST(table.original(file, "done") == "-");
  table.pass(1'000'000);
  Reply const again = table.next();
  table.deliver(table.child(again, "4"), "a");
  table.done(again, 2);
  BOOST_TEST(table.original(file, "done") == "1");
  BOOST_TEST(table.replays());
  BOOST_TEST(table.run("FORGET", {{"document", file.get("document")}}).get("count") == "5");
  BOOST_TEST(table.table->shared().store().size() == 0U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(dead_children_end_an_original_with_errors_and_are_tried_again_through_it) {
  Lines table;
  Reply const file = table.found("file");
  Reply const line = table.child(file, "1");
  table.of("DROPPED", file);
  table.done(file, 1);
  table.failed(line, "a", "bad", true);
  BOOST_TEST(table.original(file, "done") == "1");
  BOOST_TEST(table.original(file, "failed_below") == "1");
  BOOST_TEST(table.run("RETRY", {{"status", "error_doc"}}).get("count") == "1");
  Reply const again = table.next();
  BOOST_TEST(again.get("document") == file.get("document"));
  table.deliver(table.child(again, "1"), "a");
  table.done(again, 1);
  BOOST_TEST(table.original(file, "failed_below") == "-");
  BOOST_TEST(table.original(file, "done") == "1");
}

BOOST_AUTO_TEST_CASE(an_original_whose_run_is_dead_takes_its_alert_along_when_it_is_forgotten) {
  Lines table;
  Reply const file = table.found("file");
  table.of("CHILD", file, {{"child", "1"}, {"step", "split"}});
  table.of("DROPPED", file);
  table.pass(310'000);
  for (int at = 0; at < 2; ++at) {
    BOOST_TEST(table.next().get("children") == "1", at);
    table.pass(310'000);
  }
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.alerts.raised.contains("document-failed"));
  BOOST_TEST(table.run("FORGET", {{"document", file.get("document")}}).get("count") == "2");
  BOOST_TEST(!table.alerts.raised.contains("document-failed"));
}

BOOST_AUTO_TEST_CASE(children_are_known_before_their_original_when_that_was_compacted) {
  Lines table;
  Reply const file = table.found("file");
  table.log.skip(kOldestLsnGrain);
  for (std::string const name : {"1", "2"}) table.child(file, name);
  table.log.skip(2 * kOldestLsnGrain - table.log.end().value % kOldestLsnGrain);
  std::uint64_t const before = digest_of(*table.table);
  // The original and the plan, not the children.
  table.compact(Lsn{kOldestLsnGrain});
  Lsn const base = table.table->oldest_lsn();
  BOOST_TEST(base.value >= kOldestLsnGrain);
  auto const twin = table.replayed(base);
  BOOST_TEST(digest_of(*twin) == before);
  BOOST_TEST(digest_of(*table.table) == before);
  auto const id = ObjectId{std::stoull(file.get("document"))};
  BOOST_TEST(twin->shared().documents.families().original_of(id)->in_hands == 2U);
  BOOST_TEST(twin->shared().documents.plans().newest()->counts_at(0).leased == 3U);
  table.restart();
  table.close(1);
  table.pass(400'000);
  BOOST_TEST(table.next().get("children") == "1");
}

// In parts, with the end of what was copied between them: a log that begins with the copies has children before their
// original, or never that original.
BOOST_AUTO_TEST_CASE(families_outlive_a_start_while_they_are_compacted) {
  // `turned`: copying begins in the middle, where it ended the last time.
  for (int between = 0; between < 10; ++between)
    for (std::size_t steps = 0; steps < 10; ++steps) {
      bool const turned = between >= 5;
      Lines table;
      Reply const file = table.found("file");
      Reply const one = table.child(file, "1");
      Reply const below_it = table.child(one, "1.1");
      Reply const two = table.child(file, "2");
      table.of("DROPPED", file);
      for (Reply const& line : {one, below_it}) table.deliver(line, "a");
      table.done(one, 1);
      table.found("other");
      for (int round = turned ? 0 : 1; round < 2; ++round) {
        table.log.skip(kOldestLsnGrain - table.log.end().value % kOldestLsnGrain);
        // The plan, and the original.
        if (round == 0) table.compact(table.log.end(), 64, 4);
      }
      Lsn const below = table.log.end();
      if (steps > 0) table.compact(below, 64, steps);
      if (between % 5 == 0) table.deliver(two, "a");
      if (between % 5 == 1) table.found("file", "2");
      if (between % 5 == 2) table.of("CHILD", table.found("file", "2"), {{"child", "1"}, {"step", "split"}});
      if (between % 5 == 3) table.child(file, "3");
      if (between % 5 == 4) {
        table.close(1);
        table.pass(400'000);
        BOOST_TEST_REQUIRE(table.run("FORGET", {{"document", file.get("document")}}).get("count") == "4");
      }
      table.compact(below, 64);
      BOOST_TEST_REQUIRE((table.table->oldest_lsn() >= below));
      std::string const shown = "case " + std::to_string(between) + " after " + std::to_string(steps) + " steps";
      auto const twin = table.replayed(table.table->oldest_lsn());
      BOOST_TEST(digest_of(*twin) == digest_of(*table.table), shown);
      BOOST_TEST(twin->live_bytes() == table.table->live_bytes(), shown);
      table.restart();
      if (between % 5 == 0) {
        table.done(file, 2);
        BOOST_TEST(table.original(file, "done") == "1", shown);
      }
    }
}

BOOST_AUTO_TEST_CASE(originals_without_memory_go_with_their_children) {
  Lines table{PlanText{}.source("s", 0, 1, false).safe("split", "0").idempotent("a", "1").text};
  Reply const file = table.found("file");
  for (std::string const name : {"1", "2"}) table.deliver(table.child(file, name), "a");
  table.of("DROPPED", file);
  table.done(file, 2);
  table.pass(0);
  BOOST_TEST(table.table->shared().store().size() == 0U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(an_original_without_memory_goes_when_the_last_lease_of_its_run_ends) {
  Lines table{PlanText{}.source("s", 0, 1, false).safe("split", "0").idempotent("a", "1").text};
  Reply const file = table.found("file");
  Reply const line = table.child(file, "1");
  table.done(file, 1);
  // It is taken apart once more.
  table.child(file, "1", {{"again", "1"}});
  table.deliver(line, "a");
  table.of("DROPPED", file);
  table.pass(0);
  BOOST_TEST(table.table->shared().store().size() == 2U);
  table.pass(400'000);
  BOOST_TEST(table.table->shared().store().size() == 0U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(why_of_an_original_tells_of_what_was_made_of_it) {
  Harness table;
  Reply const one = table.found("u");
  Reply const first = table.of("CHILD", one, {{"child", "1"}});
  table.of("CHILD", one, {{"child", "2"}});
  table.of("CHILDREN_DONE", one, {{"count", "2"}});
  table.failed(first, "a", "bad", true);
  table.deliver(first, "b");
  Reply const why = table.run("WHY", {{"document", one.get("document")}});
  BOOST_TEST(why.get("children_known") == "2");
  BOOST_TEST(why.get("children_not_done") == "1");
  BOOST_TEST(why.get("failed_below") == "1");
  std::string const text = why.get("text");
  BOOST_TEST(text.find("2 documents were made of it: 1 not done") != std::string::npos, text);
  BOOST_TEST(text.find("1 delivery failed for good") != std::string::npos, text);
  BOOST_TEST(table.run("WHY", {{"document", first.get("document")}}).get("text").find("made of it") ==
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
