// Ended documents leave memory and are still there: for sources that find them again, for people, for the counts.
#include <boost/test/unit_test.hpp>

#include <set>

#include "tests/unit/pipeline/harness.h"

namespace fastjournal::pipeline::test {
namespace {

// So many documents u0, u1 ... that have arrived.
void deliver_all(Harness& table, int count, std::string const& before = "u") {
  for (int at = 0; at < count; ++at) {
    Reply const found = table.found(before + std::to_string(at), "h" + std::to_string(at));
    table.deliver(found, "a");
    table.deliver(found, "b");
  }
}

void move_all_out(Harness& table) {
  while (table.begin_move_out()) table.end_move_out();
}

std::uint64_t archived(Harness const& table) { return table.table->shared().documents.archive().size(); }
std::uint64_t pages(Harness const& table) { return table.table->shared().documents.archive().pages(); }
std::uint64_t in_memory(Harness const& table) { return table.table->shared().store().size(); }

Harness with_all_out(int count) {
  Harness table{two_outputs(), {{"ended-in-memory", "0"}}};
  deliver_all(table, count);
  move_all_out(table);
  return table;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline_archive)

BOOST_AUTO_TEST_CASE(ended_documents_leave_memory_beyond_those_that_stay) {
  Harness table{two_outputs(), {{"ended-in-memory", "200"}}};
  deliver_all(table, 215);
  BOOST_TEST(!table.begin_move_out());
  deliver_all(table, 1'000, "v");
  table.found("open");
  move_all_out(table);
  BOOST_TEST(in_memory(table) + archived(table) == 1'216U);
  BOOST_TEST(in_memory(table) >= 200U);
  BOOST_TEST(in_memory(table) < 330U);
  // A page is filled: with so short names by its number of documents.
  BOOST_TEST(pages(table) == (archived(table) + kPageDocumentsMax - 1) / kPageDocumentsMax);
  BOOST_TEST(table.of_destination("a", "sent") == "1215");
  BOOST_TEST(table.names_its_extents());
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(what_is_found_again_is_unchanged_and_stays_there) {
  Harness table = with_all_out(50);
  BOOST_TEST(in_memory(table) == 0U);
  for (int at = 0; at < 50; ++at) {
    Reply const again = table.found("u" + std::to_string(at), "h" + std::to_string(at));
    BOOST_TEST(again.get("change") == "unchanged");
    BOOST_TEST(again.get("uri") == "u" + std::to_string(at));
    BOOST_TEST(again.get("hash") == "h" + std::to_string(at));
    BOOST_TEST(again.get("token") == "-");
  }
  BOOST_TEST(table.found("u7", "other", {{"dry_run", "1"}}).get("change") == "changed");
  BOOST_TEST(table.found("u50").get("change") == "new");
  BOOST_TEST(archived(table) == 50U);
}

BOOST_AUTO_TEST_CASE(what_has_changed_comes_back_and_goes_everywhere) {
  Harness table = with_all_out(50);
  std::string const number = table.found("u7", "h7").get("document");
  Reply const changed = table.found("u7", "other");
  BOOST_TEST(changed.get("change") == "changed");
  BOOST_TEST(changed.get("document") == number);
  BOOST_TEST(changed.get("destinations") == "a b");
  BOOST_TEST(in_memory(table) == 1U);
  BOOST_TEST(archived(table) == 49U);
  BOOST_TEST(table.of_destination("a", "sent") == "49");
  table.deliver(changed, "a");
  table.deliver(changed, "b");
  move_all_out(table);
  BOOST_TEST(archived(table) == 50U);
  BOOST_TEST(table.found("u7", "other").get("change") == "unchanged");
  BOOST_TEST(table.names_its_extents());
  BOOST_TEST(table.replays());
}

// A page that has become thin comes back whole: no page is less than half full, so files are bounded by what lives.
BOOST_AUTO_TEST_CASE(thin_pages_come_back_and_are_given_back) {
  Harness table = with_all_out(50);
  BOOST_TEST(table.alerts.extents.size() == 1U);
  for (int at = 0; at < 25; ++at) table.found("u" + std::to_string(at), "other", {{"hand_out", "0"}});
  BOOST_TEST(archived(table) == 25U);
  table.found("u25", "other", {{"hand_out", "0"}});
  BOOST_TEST(archived(table) == 0U);
  BOOST_TEST(pages(table) == 0U);
  BOOST_TEST(table.alerts.extents.empty());
  BOOST_TEST(table.found("u26", "h26").get("change") == "unchanged");
  BOOST_TEST(table.replays());
  // Those that are still ended go out again.
  move_all_out(table);
  BOOST_TEST(archived(table) == 24U);
}

BOOST_AUTO_TEST_CASE(people_see_them_like_the_others) {
  Harness table = with_all_out(50);
  table.found("open");
  Reply const all = table.run("DOCUMENTS", {{"count", "1000"}});
  BOOST_TEST(all.messages.size() == 51U);
  std::set<std::string> names;
  for (std::size_t at = 0; at < all.messages.size(); ++at) names.insert(all.get("uri", at));
  BOOST_TEST(names.size() == 51U);
  BOOST_TEST(all.get("states", 0) == "a=sent b=sent");
  BOOST_TEST(all.get("done", 0) == "1");
  BOOST_TEST(table.count("done") == 50U);
  BOOST_TEST(table.count("open") == 1U);
  BOOST_TEST(table.count("sent") == 50U);
  BOOST_TEST(table.count("dropped") == 0U);
  BOOST_TEST(table.count("sent", {{"destination", "b"}}) == 50U);
  // A page at a time, in the order of numbers.
  std::string after = "0";
  std::size_t shown = 0;
  for (int page = 0; page < 20 && after != "-"; ++page) {
    Reply const some = table.run("DOCUMENTS", {{"count", "7"}, {"after", after}});
    shown += some.messages.size();
    after = some.get("after", some.messages.size() - 1);
  }
  BOOST_TEST(shown == 51U);
  BOOST_TEST(table.why(all) == "it is done. a: it has arrived. b: it has arrived.");
  BOOST_TEST(table.of_destination("a", "sent") == "50");
  BOOST_TEST(table.run("PLANS", {}).get("documents") == "51");
}

BOOST_AUTO_TEST_CASE(a_command_about_one_brings_it_back) {
  Harness table = with_all_out(50);
  Reply const one = table.found("u3", "h3");
  BOOST_TEST(table.of("FORCE", one).get("count") == "2");
  BOOST_TEST(table.states(one) == "a=force b=force");
  Reply const other = table.found("u4", "h4");
  BOOST_TEST(table.of("RETRY", other, {{"if_changed", "1"}, {"destination", "a"}}).get("count") == "1");
  BOOST_TEST(table.states(other) == "a=dirty b=sent");
  // The worker that is late, whose document has gone meanwhile.
  Reply const third = table.found("u5", "h5");
  BOOST_TEST(table.of("SENDING", third, {{"destination", "a"}, {"token", "1"}}).name() == "SKIP");
  BOOST_TEST(table.of("HEARTBEAT", third, {{"token", "1"}}).name() == "CANCELLED");
  BOOST_TEST(table.of("FORGET", table.found("u6", "h6")).get("count") == "1");
  BOOST_TEST(table.found("u6", "h6", {{"dry_run", "1"}}).get("change") == "new");
  BOOST_TEST(archived(table) == 46U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(commands_on_many_bring_back_those_that_fit) {
  Harness table = with_all_out(300);
  BOOST_TEST(table.run("FORCE", {{"all", "1"}, {"destination", "a"}, {"dry_run", "1"}}).get("count") == "300");
  BOOST_TEST(table.run("DROP", {{"all", "1"}}).get("count") == "0");
  BOOST_TEST(archived(table) == 300U);
  Reply const some = table.run("FORCE", {{"all", "1"}, {"destination", "a"}, {"count", "40"}});
  BOOST_TEST(some.get("count") == "40");
  BOOST_TEST(in_memory(table) < 100U);
  Reply const rest = table.run("FORCE", {{"all", "1"}, {"destination", "a"}, {"after", some.get("after")}});
  BOOST_TEST(rest.get("count") == "260");
  BOOST_TEST(rest.get("after") == "-");
  BOOST_TEST(table.of_destination("a", "force") == "300");
  BOOST_TEST(archived(table) == 0U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(an_older_plan_is_migrated_or_forgotten_with_what_it_has_there) {
  for (bool const migrates : {true, false}) {
    Harness table = with_all_out(120);
    table.take(declare(PlanText{2}.source("s", kAll).idempotent("a", "0").potent("b", "0").potent("c", "0").text,
                       {{"ended-in-memory", "0"}}));
    table.pass(0);
    BOOST_TEST(table.found("u1", "h1", {{"dry_run", "1"}}).get("change") == "new");
    if (migrates) {
      BOOST_TEST(table.run("MIGRATE", {{"version", "1"}, {"dry_run", "1"}}).get("count") == "120");
      BOOST_TEST(archived(table) == 120U);
      BOOST_TEST(table.run("MIGRATE", {{"version", "1"}}).get("count") == "120");
      Reply const resumed = table.found("u1", "h1");
      BOOST_TEST(resumed.get("change") == "resume");
      BOOST_TEST(resumed.get("destinations") == "c");
      table.deliver(resumed, "c");
      move_all_out(table);
      // What went over, has ended and left memory is there.
      BOOST_TEST(table.run("MIGRATE", {{"version", "1"}}).get("there") == "120");
    }
    BOOST_TEST(table.run("FORGET", {{"version", "1"}, {"count", "50"}}).get("more") == "1");
    BOOST_TEST(table.run("FORGET", {{"version", "1"}}).get("count") == "70");
    table.pass(0);
    BOOST_TEST(table.run("PLANS", {}).messages.size() == 1U);
    BOOST_TEST(table.names_its_extents());
    BOOST_TEST(table.replays());
  }
}

BOOST_AUTO_TEST_CASE(what_changes_while_its_page_is_written_stays) {
  Harness table{two_outputs(), {{"ended-in-memory", "0"}}};
  deliver_all(table, 10);
  BOOST_TEST(table.begin_move_out());
  Reply const forced = table.of("FORCE", table.found("u1", "h1"));
  table.of("FORGET", table.found("u2", "h2"));
  Reply const again = table.found("u3", "h3");
  table.of("FORCE", again);
  Reply const taken = table.found("u3", "h3");
  table.deliver(taken, "a");
  table.deliver(taken, "b");
  table.found("u4", "other", {{"hand_out", "0"}});
  table.end_move_out();
  // u3 is again as it was when it was written.
  BOOST_TEST(archived(table) == 7U);
  BOOST_TEST(in_memory(table) == 2U);
  BOOST_TEST(table.of_destination("a", "force") == "1");
  BOOST_TEST(table.of_destination("a", "processing") == "1");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(documents_that_others_rest_on_stay_in_memory) {
  Harness table{PlanText{}.versions("s", kAll).idempotent("a", "0").potent("b", "0").text, {{"ended-in-memory", "0"}}};
  Reply const parent = table.found("parent");
  Reply const child = table.of("CHILD", parent, {{"child", "1"}});
  table.deliver(child, "a");
  table.deliver(child, "b");
  table.of("CHILDREN_DONE", parent, {{"count", "1"}});
  table.deliver(parent, "a");
  table.deliver(parent, "b");
  Reply const wrong = table.found("wrong");
  table.failed(wrong, "a", "k", true);
  table.deliver(wrong, "b");
  table.found("versions", "1");
  table.found("versions", "2");
  move_all_out(table);
  BOOST_TEST(table.count("done") == 3U);
  BOOST_TEST(archived(table) == 0U);
  BOOST_TEST(in_memory(table) == 5U);
}

// That it failed there within the last minute is still true.
BOOST_AUTO_TEST_CASE(what_has_left_memory_counts_among_those_that_failed) {
  Harness table{two_outputs(), {{"ended-in-memory", "0"}, {"failing", "3"}}};
  Reply const first = table.found("u1");
  table.deliver(first, "b");
  table.failed(first, "a");
  table.pass(1'500);
  table.deliver(table.next(), "a");
  move_all_out(table);
  BOOST_TEST(archived(table) == 1U);
  table.failed(table.found("u2"), "a");
  BOOST_TEST(table.of_destination("a", "mode") == "open");
  table.failed(table.found("u3"), "a");
  BOOST_TEST(table.of_destination("a", "mode") == "probing");
  BOOST_TEST(table.replays());
}

// Where most of what has ended stays, that is not looked at for each one that ends.
BOOST_AUTO_TEST_CASE(those_that_stay_are_not_looked_at_again_and_again) {
  Harness table{two_outputs(), {{"ended-in-memory", "0"}, {"failing", "0"}}};
  for (int at = 0; at < 8'000; ++at) {
    Reply const wrong = table.found("wrong" + std::to_string(at));
    table.deliver(wrong, "b");
    table.failed(wrong, "a", "k", true);
  }
  BOOST_TEST(table.count("done") == 1'000U);
  move_all_out(table);
  BOOST_TEST(archived(table) == 0U);
  std::size_t calls = 0;
  for (int at = 0; at < 999; ++at) {
    deliver_all(table, 1, "v" + std::to_string(at) + "-");
    std::vector<std::string> values;
    while (table.table->request_offload(values)) ++calls;
    BOOST_TEST(values.empty());
  }
  BOOST_TEST(calls == 0U);
  deliver_all(table, 2, "w");
  move_all_out(table);
  BOOST_TEST(archived(table) == 1'001U);
}

// Nobody knows what was on a page that cannot be read; it is not held for unchanged, nor for new.
BOOST_AUTO_TEST_CASE(a_page_that_cannot_be_read_is_told) {
  Harness table = with_all_out(50);
  std::string const number = table.run("DOCUMENTS", {{"count", "1"}}).get("document");
  table.outside.clear();
  table.restart();
  BOOST_TEST(table.found("u1", "h1").error() == "damaged");
  BOOST_TEST(table.run("FORCE", {{"document", number}}).error() == "damaged");
  BOOST_TEST(table.run("WHY", {{"document", number}}).error() == "damaged");
  Reply const shown = table.run("DOCUMENTS", {{"count", "1000"}});
  BOOST_TEST(shown.messages.size() == 50U);
  BOOST_TEST(shown.get("damaged", 3) == "1");
  BOOST_TEST(shown.get("states", 3) == "a=sent b=sent");
  BOOST_TEST(table.run("FORGET", {{"document", number}}).get("count") == "1");
  BOOST_TEST(archived(table) == 49U);
  BOOST_TEST(table.of_destination("a", "sent") == "49");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(pages_are_compacted_and_a_start_needs_no_file) {
  Harness table = with_all_out(500);
  for (int at = 0; at < 40; ++at) table.found("u" + std::to_string(at), "other", {{"hand_out", "0"}});
  std::uint64_t const before = digest_of(*table.table);
  table.log.skip(kOldestLsnGrain - table.log.end().value % kOldestLsnGrain);
  Lsn const below = table.log.end();
  table.compact(below, 1'024);
  BOOST_TEST(digest_of(*table.table) == before);
  BOOST_TEST((table.table->oldest_lsn() >= below));
  table.restart();
  BOOST_TEST(digest_of(*table.table) == before);
  BOOST_TEST(table.of_destination("a", "sent") == "460");
  BOOST_TEST(table.found("u77", "h77").get("change") == "unchanged");
  BOOST_TEST(table.names_its_extents());
}

BOOST_AUTO_TEST_CASE(documents_in_files_cost_little_memory) {
  Harness table{two_outputs(), {{"ended-in-memory", "0"}, {"history", "0"}}};
  deliver_all(table, 20'000, "/a/folder/with/a/long/name/and/another/one/below/it/document-");
  std::uint64_t const before = table.table->memory_bytes();
  move_all_out(table);
  BOOST_TEST(archived(table) == 20'000U);
  BOOST_TEST_MESSAGE("in memory " << before / 20'000 << " bytes each, in files "
                                  << table.table->shared().documents.archive().memory_bytes() / 20'000);
  BOOST_TEST(table.table->shared().documents.archive().memory_bytes() < 20'000U * 48U);
  BOOST_TEST(table.table->live_bytes() < 20'000U * 32U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
