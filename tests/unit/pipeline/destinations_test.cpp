// Destinations: routers that choose, destinations that fail for everything, plans of a newer version.
#include <boost/test/unit_test.hpp>

#include "tests/unit/pipeline/harness.h"

namespace fastjournal::pipeline::test {

BOOST_AUTO_TEST_SUITE(pipeline_destinations)

BOOST_AUTO_TEST_CASE(what_a_router_does_not_choose_is_dropped) {
  Harness table{PlanText{}
                    .source("s", kByName)
                    .safe("x", "0", kByName)
                    .idempotent("a", "1")
                    .idempotent("b", "1")
                    .idempotent("c", "0")
                    .text};
  Reply const document = table.found("u");
  BOOST_TEST(document.get("destinations") == "a b c");
  BOOST_TEST(table.of("ROUTED", document, {{"router", "s"}, {"chosen", "x"}}).get("dropped_at") == "c");
  BOOST_TEST(table.of("ROUTED", document, {{"router", "x"}, {"chosen", "b"}}).get("dropped_at") == "a");
  BOOST_TEST(table.states(document) == "a=dropped b=processing c=dropped");
  table.deliver(document, "b");
  BOOST_TEST(table.found("u").get("change") == "unchanged");
  BOOST_TEST(table.of("ROUTED", document, {{"router", "x"}, {"chosen", "b"}}).error() == "stale_epoch");
  // A new version may take another way.
  BOOST_TEST(table.found("u", "2").get("destinations") == "a b c");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_destination_that_another_way_leads_to_stays) {
  // s sends copies to x and y; x chooses p or q, y chooses p or r; p takes one delivery, whatever its way.
  Harness table{PlanText{}
                    .source("s", kAll)
                    .safe("x", "0", kByName)
                    .safe("y", "0", kByName)
                    .idempotent("p", "1,2", true)
                    .idempotent("q", "1")
                    .idempotent("r", "2")
                    .text};
  Reply const document = table.found("u");
  BOOST_TEST(table.of("ROUTED", document, {{"router", "x"}, {"chosen", "q"}}).get("dropped_at") == "");
  BOOST_TEST(table.of("ROUTED", document, {{"router", "y"}, {"chosen", "r"}}).get("dropped_at") == "p");
  BOOST_TEST(table.states(document) == "p=dropped q=processing r=processing");
}

BOOST_AUTO_TEST_CASE(copies_by_two_ways_are_two_deliveries) {
  Harness table{PlanText{}.source("s", kAll).safe("x", "0").safe("y", "0").potent("p", "1,2").text};
  Reply const document = table.found("u");
  BOOST_TEST(document.get("destinations") == "p<-via->x p<-via->y");
  table.deliver(document, "p<-via->x");
  table.of("RELEASE", document);
  BOOST_TEST(table.next().get("destinations") == "p<-via->y");
}

BOOST_AUTO_TEST_CASE(documents_are_counted_and_changed_for_each_source) {
  Harness table{PlanText{}.source("s", kAll).source("t", kAll).idempotent("a", "0,1").potent("b", "0,1", true).text};
  Reply const one = table.found("u");
  Reply const other = table.found("u", "1", {{"source", "t"}});
  table.deliver(one, "a");
  table.failed(one, "b", "k", true);
  table.failed(other, "b", "k", true);
  auto const count = [&](std::string const& destination, std::string const& source, std::string const& what) {
    return table.run("DESTINATIONS", {{"destination", destination}, {"source", source}}).get(what);
  };
  BOOST_TEST(count("a", "s", "sent") == "1");
  BOOST_TEST(count("a", "s", "with_workers") == "-");
  BOOST_TEST(count("a", "t", "sent") == "-");
  BOOST_TEST(count("a", "t", "with_workers") == "1");
  BOOST_TEST(table.of_destination("b", "error_doc") == "2");
  BOOST_TEST(table.run("RETRY", {{"source", "t"}, {"dry_run", "1"}}).get("count") == "1");
  BOOST_TEST(table.run("RETRY", {{"source", "t"}}).get("count") == "1");
  BOOST_TEST(table.states(one) == "a=sent b=error_doc");
  BOOST_TEST(table.states(other) == "a=processing b=restart");
  BOOST_TEST(table.run("DROP", {{"source", "x"}}).error() == "not_found");
  BOOST_TEST(table.run("DROP", {{"source", "a"}}).error() == "not_found");
  BOOST_TEST(count("b", "x", "mode") == "-");
  // Those that no document of the source has to reach are left out.
  Harness apart{PlanText{}.source("s", kAll).source("t").idempotent("a", "0,1").potent("b", "0").text};
  BOOST_TEST(apart.run("DESTINATIONS", {{"source", "s"}}).messages.size() == 2U);
  Reply const of_t = apart.run("DESTINATIONS", {{"source", "t"}});
  BOOST_TEST(of_t.messages.size() == 1U);
  BOOST_TEST(of_t.get("destination") == "a");
}

BOOST_AUTO_TEST_CASE(a_plan_is_told_step_by_step) {
  Harness table{
      PlanText{}.source("s", kByName, 2).safe("x", "0", kByName).idempotent("a", "1").potent("b", "0,1", true).text};
  Reply const all = table.run("STEPS", {});
  BOOST_REQUIRE(all.messages.size() == 4U);
  BOOST_TEST(all.get("kind", 0) + all.get("router", 0) + all.get("copies_max", 0) + all.get("behind", 0) ==
             "sourceby-name2-");
  BOOST_TEST(all.get("step", 1) + all.get("kind", 1) + all.get("effect", 1) + all.get("guarantee", 1) ==
             "xsafemutating-");
  BOOST_TEST(all.get("guarantee", 2) + all.get("any_path", 2) == "at-least-once-");
  BOOST_TEST(all.get("behind", 3) + all.get("guarantee", 3) + all.get("any_path", 3) == "s xat-most-once1");
  // In pages.
  std::string found;
  for (std::string after = "0"; after != "-";) {
    Reply const page = table.run("STEPS", {{"count", "2"}, {"after", after}});
    for (std::size_t at = 0; at < page.messages.size(); ++at) found += page.get("step", at);
    after = page.get("after", page.messages.size() - 1);
  }
  BOOST_TEST(found == "sxab");
  BOOST_TEST(table.run("STEPS", {{"version", "2"}}).error() == "not_found");
  // What tells which copies arrive where.
  Reply const destinations = table.run("DESTINATIONS", {});
  BOOST_TEST(destinations.get("step", 0) + " " + destinations.get("branches", 0) == "a x");
  BOOST_TEST(destinations.get("step", 1) + " " + destinations.get("branches", 1) == "b -");
}

BOOST_AUTO_TEST_CASE(wrong_choices_are_refused) {
  Harness table{PlanText{}.source("s", kByName, 2).idempotent("a", "0").idempotent("b", "0").idempotent("c", "0").text};
  Reply const document = table.found("u");
  for (std::string const chosen : {"", "x", "s", "a b c"})
    BOOST_TEST(table.of("ROUTED", document, {{"router", "s"}, {"chosen", chosen}}).error() == "bad_parameter", chosen);
  BOOST_TEST(table.of("ROUTED", document, {{"router", "x"}, {"chosen", "a"}}).error() == "not_found");
  BOOST_TEST(table.of("ROUTED", document, {{"router", "s"}, {"chosen", "b a b"}}).get("dropped_at") == "c");
}

BOOST_AUTO_TEST_CASE(a_destination_where_everything_fails_is_paused_and_nothing_is_counted) {
  Harness table{two_outputs(), {{"failing", "5"}, {"probe-every", "30000"}}};
  std::vector<Reply> all;
  for (int at = 0; at < 12; ++at) {
    all.push_back(table.found("u" + std::to_string(at)));
    table.deliver(all.back(), "b");
  }
  for (int at = 0; at < 12; ++at) table.failed(all[static_cast<std::size_t>(at)], "a", "down");
  BOOST_TEST(table.of_destination("a", "mode") == "probing");
  BOOST_TEST(table.of_destination("b", "mode") == "open");
  BOOST_TEST(table.alerts.raised.contains("destination-paused"));
  BOOST_TEST(table.alerts.raised.size() == 1U);
  table.pass(10'000);
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.table->available("s") == 0U);
  // Ten minutes: one is tried each half minute, and fails.
  int tried = 0;
  for (int at = 0; at < 60; ++at) {
    table.pass(10'000);
    Reply const probe = table.next({{"count", "100"}});
    if (probe.name() == "NOTHING") continue;
    BOOST_TEST(probe.messages.size() == 1U);
    BOOST_TEST(table.sending(probe, "a").get("attempt") == "1");
    BOOST_TEST(table.failed(probe, "a", "down").get("status") == "error");
    ++tried;
  }
  BOOST_TEST(tried >= 18);
  BOOST_TEST(tried <= 20);
  BOOST_TEST(table.count("dead") == 0U);
  table.pass(30'000);
  Reply const probe = table.next();
  table.deliver(probe, "a");
  BOOST_TEST(table.of_destination("a", "mode") == "open");
  BOOST_TEST(!table.alerts.raised.contains("destination-paused"));
  table.pass(3'600'000);
  Reply const rest = table.next({{"count", "100"}});
  BOOST_TEST(rest.messages.size() == 11U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(failures_of_one_document_pause_nothing) {
  Harness table{PlanText{}.source("s").idempotent("a", "0").text, {{"failing", "2"}}};
  Reply const document = table.found("u");
  table.failed(document, "a");
  table.pass(5'000);
  table.failed(table.next(), "a");
  BOOST_TEST(table.of_destination("a", "mode") == "open");
  // Nor those that fail for good, nor those that are long apart.
  for (int at = 0; at < 5; ++at) table.failed(table.found("p" + std::to_string(at)), "a", "bad", true);
  BOOST_TEST(table.of_destination("a", "mode") == "open");
  table.pass(60'001);
  table.failed(table.found("w"), "a");
  BOOST_TEST(table.of_destination("a", "mode") == "open");
}

BOOST_AUTO_TEST_CASE(a_person_shuts_and_opens_a_destination) {
  Harness table;
  Reply const document = table.found("u");
  table.run("PAUSE", {{"destination", "a"}, {"reason", "new index"}});
  BOOST_TEST(table.of_destination("a", "reason") == "new index");
  BOOST_TEST(table.sending(document, "a").get("reason") == "paused");
  BOOST_TEST(table.states(document) == "a=processing b=processing");
  BOOST_TEST(table.deliver(document, "b").get("status") == "sent");
  BOOST_TEST(table.next().name() == "NOTHING");
  table.restart();
  BOOST_TEST(table.of_destination("a", "mode") == "shut");
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.why(document).find("shut") != std::string::npos);
  table.run("RESUME", {{"destination", "a"}});
  BOOST_TEST(!table.alerts.again.empty());
  BOOST_TEST(table.next().get("destinations") == "a");
}

BOOST_AUTO_TEST_CASE(a_newer_plan_is_a_new_state_space_and_the_old_one_stays_to_be_looked_at) {
  Harness table;
  Reply const done = table.found("done");
  table.deliver(done, "a");
  table.deliver(done, "b");
  Reply const open = table.found("open");
  Reply const waiting = table.found("waiting", "1", {{"hand_out", "0"}});
  auto const plan = [](int version, std::string const& name = "p") {
    return PlanText{version, name}.source("s", kAll).idempotent("a", "0").potent("c", "0").text;
  };
  BOOST_TEST(!table.table->check_change(*declare(plan(1))).ok());
  BOOST_TEST(!table.table->check_change(*declare(plan(2, "q"))).ok());
  BOOST_TEST(table.table->check_change(*declare(two_outputs())).ok());
  BOOST_TEST(table.table->check_change(*declare(plan(2))).ok());
  table.take(declare(plan(2)));
  table.pass(0);
  BOOST_TEST(!table.table->check_change(*declare(two_outputs())).ok());
  BOOST_TEST(table.next().name() == "NOTHING");
  Reply const again = table.found("done");
  BOOST_TEST(again.get("change") == "new");
  BOOST_TEST(again.get("destinations") == "a c");
  // Who has a document of the old version may end it.
  BOOST_TEST(table.deliver(open, "b").get("status") == "sent");
  BOOST_TEST(table.why(waiting).find("newer version") != std::string::npos);
  BOOST_TEST(table.count("all") == 1U);
  BOOST_TEST(table.count("all", {{"version", "1"}}) == 3U);
  BOOST_TEST(table.count("open", {{"version", "1"}}) == 2U);
  BOOST_TEST(table.replays());
  table.restart();
  BOOST_TEST(table.count("all", {{"version", "1"}}) == 3U);
  BOOST_TEST(table.run("FORGET", {{"version", "2"}}).error() == "wrong_state");
  table.of("RELEASE", open);
  BOOST_TEST(table.run("FORGET", {{"version", "1"}, {"count", "2"}}).get("more") == "1");
  BOOST_TEST(table.run("FORGET", {{"version", "1"}}).get("count") == "1");
  table.pass(0);
  BOOST_TEST(table.run("PLANS", {}).messages.size() == 1U);
  BOOST_TEST(table.replays());
}

// Never compacted any more, as it was retired: a replay knows it by the document that came last.
BOOST_AUTO_TEST_CASE(a_plan_that_was_retired_while_others_were_compacted_ends_no_start) {
  Harness table;
  table.log.skip(kOldestLsnGrain - table.log.end().value % kOldestLsnGrain);
  Lsn const below = table.log.end();
  table.found("u", "1", {{"hand_out", "0"}});
  table.take(declare(PlanText{2}.source("s", kAll).idempotent("a", "0").potent("b", "0").text));
  table.pass(0);
  table.found("v", "1", {{"hand_out", "0"}});
  BOOST_TEST(table.run("FORGET", {{"version", "1"}}).get("count") == "1");
  table.pass(0);
  BOOST_TEST(table.run("PLANS", {}).messages.size() == 1U);
  BOOST_TEST_REQUIRE((table.table->oldest_lsn() >= below));
  std::uint64_t const live_bytes = table.table->live_bytes();
  table.restart();
  BOOST_TEST(table.table->live_bytes() == live_bytes);
  BOOST_TEST(table.count("all") == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_known_goes_over_to_a_newer_plan) {
  Harness table;
  Reply const both = table.found("both");
  table.deliver(both, "a");
  table.deliver(both, "b");
  Reply const half = table.found("half");
  table.deliver(half, "b");
  table.of("RELEASE", half);
  Reply const dead = table.found("dead");
  table.failed(dead, "b", "bad", true);
  table.of("RELEASE", dead);
  Reply const held = table.found("held");
  Reply const again = table.found("again");
  table.deliver(again, "a");
  table.of("RELEASE", again);
  // Children of a file whose own way ends.
  Reply const file = table.found("file");
  Reply const line = table.of("CHILD", file, {{"child", "1"}});
  table.deliver(line, "a");
  table.deliver(line, "b");
  table.of("DROPPED", file);
  table.of("CHILDREN_DONE", file, {{"count", "1"}});
  BOOST_TEST(table.run("MIGRATE", {{"version", "1"}}).error() == "wrong_state");
  table.take(declare(PlanText{2}.source("s", kAll).idempotent("search", "0").potent("b", "0").potent("c", "0").text));
  table.pass(0);
  BOOST_TEST(table.found("again").get("change") == "new");
  BOOST_TEST(table.run("MIGRATE", {{"version", "3"}}).error() == "not_found");
  BOOST_TEST(table.run("MIGRATE", {{"version", "1"}, {"rename", "x=y"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("MIGRATE", {{"version", "1"}, {"rename", "search"}}).error() == "bad_parameter");
  Texts with{{"version", "1"}, {"rename", "a=search"}, {"dry_run", "1"}};
  Reply const dry = table.run("MIGRATE", with);
  BOOST_TEST(dry.get("stay") == "1");
  BOOST_TEST(table.count("all") == 1U);
  with.erase("dry_run");
  Reply const done = table.run("MIGRATE", with);
  BOOST_TEST(done.get("count") == "5");
  BOOST_TEST(done.get("there") == "1");
  BOOST_TEST(done.get("stay") == "1");
  BOOST_TEST(table.count("all") == 6U);
  auto const states = [&](std::string const& uri) {
    Reply const all = table.run("DOCUMENTS", {{"count", "100"}});
    for (std::size_t at = 0; at < all.messages.size(); ++at)
      if (all.get("uri", at) == uri || all.get("child", at) == uri) return all.get("states", at);
    return std::string{"-"};
  };
  BOOST_TEST(states("both") == "search=sent b=sent c=processing");
  BOOST_TEST(states("half") == "search=processing b=sent c=processing");
  BOOST_TEST(states("dead") == "search=processing b=error_doc c=processing");
  BOOST_TEST(states("again") == "search=processing b=processing c=processing");
  BOOST_TEST(states("file") == "search=dropped b=dropped c=processing");
  BOOST_TEST(states("1") == "search=sent b=sent c=processing");
  BOOST_TEST(states("held") == "-");
  BOOST_TEST(table.count("failed") == 1U);
  // Once more nothing is left but what stays.
  Reply const twice = table.run("MIGRATE", with);
  BOOST_TEST(twice.get("count") == "0");
  BOOST_TEST(twice.get("there") == "6");
  table.of("RELEASE", held);
  BOOST_TEST(table.run("MIGRATE", with).get("count") == "1");
  BOOST_TEST(table.found("both").get("destinations") == "c");
  BOOST_TEST(table.replays());
  table.restart();
  BOOST_TEST(states("both") == "search=sent b=sent c=processing");
  BOOST_TEST(table.run("FORGET", {{"version", "1"}}).get("count") == "7");
}

// Tools that read logs have no file of the table.
BOOST_AUTO_TEST_CASE(a_table_is_read_without_its_file_and_not_declared_without_a_plan) {
  auto declared = std::make_shared<TableDeclaration>(*declare(""));
  BOOST_TEST(table_type().create(TableContext{TableId{1}, 0}, pipeline_type(), declared).ok());
  declared->lines.emplace("table", 2);
  Status const status = table_type().create(TableContext{TableId{1}, 0}, pipeline_type(), declared).status();
  BOOST_TEST((status.code() == Code::bad_configuration));
  BOOST_TEST(status.message().find("docs.xml:2: element <plan> is missing") != std::string::npos, status.message());
  // What the log has is applied.
  Harness table;
  table.deliver(table.found("u"), "a");
  PipelineTable reader{TableContext{TableId{1}, 0}, pipeline_type(), declare("")};
  NoObserver nobody;
  for (auto const& record : table.log.stored())
    BOOST_REQUIRE(reader.apply(record.view(), {.live = false, .now = {}, .base = Lsn{8}}, nobody));
  BOOST_TEST(digest_of(reader) == digest_of(*table.table));
}

BOOST_AUTO_TEST_CASE(copying_forward_changes_nothing) {
  Harness table;
  Reply const document = table.found("u");
  table.sending(document, "b");
  table.failed(document, "a");
  table.found("v", "1", {{"hand_out", "0"}});
  table.run("PAUSE", {{"destination", "a"}});
  std::uint64_t const before = digest_of(*table.table);
  table.log.skip(kOldestLsnGrain - table.log.end().value % kOldestLsnGrain);
  Lsn const below = table.log.end();
  table.compact(below);
  BOOST_TEST(digest_of(*table.table) == before);
  BOOST_TEST((table.table->oldest_lsn() >= below));
  BOOST_TEST(digest_of(*table.replayed(table.table->oldest_lsn())) == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
