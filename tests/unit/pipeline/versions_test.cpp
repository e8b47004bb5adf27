// Sources that keep versions: what has changed comes to each destination behind the version before, and none is lost.
#include <boost/test/unit_test.hpp>

#include <set>

#include "tests/unit/pipeline/harness.h"

namespace fastjournal::pipeline::test {
namespace {

std::string kept() { return PlanText{}.versions("s", kAll).idempotent("a", "0").potent("b", "0").text; }

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline_versions)

BOOST_AUTO_TEST_CASE(a_version_that_is_missing_somewhere_arrives_there_before_the_newer_one) {
  Harness table{kept()};
  Reply const two = table.found("u", "2");
  table.deliver(two, "a");
  table.of("RELEASE", two);
  Reply const three = table.found("u", "3");
  BOOST_TEST(three.get("change") == "changed");
  BOOST_TEST(three.get("document") != two.get("document"));
  // Where the second has arrived, the third may go.
  BOOST_TEST(three.get("destinations") == "a");
  BOOST_TEST(table.states(three) == "a=processing b=processing");
  BOOST_TEST(table.why(three).find("the version before, is missing there too") != std::string::npos);
  Reply const old = table.next({{"destination", "b"}});
  BOOST_TEST(old.get("document") == two.get("document"));
  BOOST_TEST(old.get("hash") == "2");
  BOOST_TEST(old.get("newer") == three.get("document"));
  BOOST_TEST(table.next({{"destination", "b"}}).name() == "NOTHING");
  BOOST_TEST(table.replays());
  table.deliver(old, "b");
  table.pass(1);
  // It has arrived everywhere, and is gone.
  BOOST_TEST(table.run("WHY", {{"document", two.get("document")}}).error() == "unknown_row");
  Reply const last = table.next({{"destination", "b"}});
  BOOST_TEST(last.get("hash") == "3");
  BOOST_TEST(last.get("newer") == "-");
  table.deliver(last, "b");
  table.deliver(three, "a");
  BOOST_TEST(table.found("u", "3").get("change") == "unchanged");
  BOOST_TEST(table.count("done") == 1U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(one_that_has_arrived_is_the_same_document_when_it_changes) {
  Harness table{kept()};
  Reply const one = table.found("u", "1");
  table.deliver(one, "a");
  table.deliver(one, "b");
  Reply const two = table.found("u", "2");
  BOOST_TEST(two.get("change") == "changed");
  BOOST_TEST(two.get("document") == one.get("document"));
  BOOST_TEST(two.get("destinations") == "a b");
}

BOOST_AUTO_TEST_CASE(several_versions_go_one_behind_the_other) {
  Harness table{kept()};
  for (std::string const hash : {"1", "2", "3", "4"}) table.found("u", hash, {{"hand_out", "0"}});
  BOOST_TEST(table.count("open") == 4U);
  BOOST_TEST(table.replays());
  std::string order;
  for (int at = 0; at < 4; ++at) {
    Reply const next = table.next({{"destination", "b"}, {"count", "9"}});
    BOOST_TEST(next.messages.size() == 1U);
    order += next.get("hash");
    table.deliver(next, "b");
  }
  BOOST_TEST(order == "1234");
  BOOST_TEST(table.next({{"destination", "b"}}).name() == "NOTHING");
  BOOST_TEST(table.next({{"destination", "a"}, {"count", "9"}}).get("hash") == "1");
}

BOOST_AUTO_TEST_CASE(each_version_has_a_key_of_its_own_also_where_the_content_is_as_before) {
  Harness table{kept()};
  std::set<std::string> keys;
  for (std::string const hash : {"1", "2", "1"}) table.found("u", hash, {{"hand_out", "0"}});
  for (int at = 0; at < 3; ++at) {
    Reply const next = table.next({{"destination", "b"}});
    keys.insert(table.sending(next, "b").get("key"));
    table.sent(next, "b");
  }
  BOOST_TEST(keys.size() == 3U);
}

BOOST_AUTO_TEST_CASE(doubt_about_a_version_holds_the_newer_one_back) {
  Harness table{kept(), {{"grace", "1000"}}};
  Reply const one = table.found("u", "1");
  table.sending(one, "b");
  table.found("u", "2", {{"hand_out", "0"}}, 2);
  table.close(1);
  table.pass(70'000);
  BOOST_TEST(table.states(one) == "a=processing b=in_doubt");
  BOOST_TEST(table.next({{"destination", "b"}}, 2).name() == "NOTHING");
  table.run("RESOLVE", {{"document", one.get("document")}, {"outcome", "sent"}});
  BOOST_TEST(table.next({{"destination", "b"}}, 2).get("hash") == "2");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_version_that_failed_for_good_stays_for_a_person_and_holds_nothing_back) {
  Harness table{kept()};
  Reply const one = table.found("u", "1");
  table.failed(one, "a", "bad", true);
  table.deliver(one, "b");
  Reply const two = table.found("u", "2");
  BOOST_TEST(two.get("destinations") == "a b");
  BOOST_TEST(two.get("document") != one.get("document"));
  table.pass(1);
  BOOST_TEST(table.states(one) == "a=error_doc b=sent");
  BOOST_TEST(table.count("failed") == 1U);
  // An operator tries it again: what is with a worker stays there.
  table.run("RETRY", {{"document", one.get("document")}});
  BOOST_TEST(table.next().get("hash") == "1");
  table.run("DROP", {{"document", one.get("document")}});
  BOOST_TEST(table.deliver(two, "a").get("status") == "sent");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(forgetting_the_version_before_lets_the_newer_one_go) {
  Harness table{kept()};
  Reply const one = table.found("u", "1", {{"hand_out", "0"}});
  table.found("u", "2", {{"hand_out", "0"}});
  table.run("FORGET", {{"document", one.get("document")}});
  BOOST_TEST(table.next().get("hash") == "2");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_dry_run_of_found_says_what_would_come_of_it) {
  Harness table{kept()};
  auto const change = [&](std::string const& hash) { return table.found("u", hash, {{"dry_run", "1"}}).get("change"); };
  BOOST_TEST(change("1") == "new");
  BOOST_TEST(table.count("all") == 0U);
  Reply const one = table.found("u", "1");
  BOOST_TEST(change("1") == "processing");
  BOOST_TEST(change("2") == "changed");
  BOOST_TEST(table.found("u", "1", {{"dry_run", "1"}}).get("token") == "-");
  table.deliver(one, "a");
  table.deliver(one, "b");
  BOOST_TEST(change("1") == "unchanged");
  BOOST_TEST(table.count("all") == 1U);
}

BOOST_AUTO_TEST_CASE(without_it_the_version_before_is_given_up) {
  Harness table;
  Reply const one = table.found("u", "1");
  table.deliver(one, "a");
  Reply const two = table.found("u", "2");
  BOOST_TEST(two.get("document") == one.get("document"));
  BOOST_TEST(two.get("destinations") == "a b");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
