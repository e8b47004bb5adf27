// HISTORY: what has become of documents, within bounds.
#include <boost/test/unit_test.hpp>

#include "tests/unit/pipeline/harness.h"

namespace fastjournal::pipeline::test {
namespace {

// "what destination class" of each event, without what is absent.
std::string story(Harness& table, Texts const& with = {}) {
  std::string out;
  Reply const reply = table.run("HISTORY", with);
  if (reply.name() == "NOTHING") return "nothing";
  for (std::size_t at = 0; at < reply.messages.size(); ++at) {
    if (at > 0) out += ", ";
    out += reply.get("what", at);
    for (char const* const name : {"destination", "worker", "class", "chosen", "mode"})
      if (std::string const text = reply.get(name, at); text != "-") out.append(" ").append(text);
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline_history)

BOOST_AUTO_TEST_CASE(each_thing_that_becomes_of_a_document_is_an_event) {
  Harness table;
  Reply const one = table.found("u", "1", {{"worker", "w"}});
  Reply const other = table.found("v", "1", {{"hand_out", "0"}});
  table.of("SENDING", one, {{"destination", "a"}, {"worker", "w"}});
  table.failed(one, "a", "disk-full");
  table.of("SENDING", one, {{"destination", "b"}, {"worker", "w"}});
  table.sent(one, "b");
  table.pass(1'000);
  table.run("DROP", {{"document", one.get("document")}});
  table.found("u", "2", {{"hand_out", "0"}});
  Texts const its{{"document", one.get("document")}};
  BOOST_TEST(story(table, its) ==
             "found, handed_out w, sending a w, error a disk-full, sending b w, sent b, dropped a, changed");
  BOOST_TEST(story(table, {{"document", other.get("document")}}) == "found");
  table.run("FORGET", its);
  BOOST_TEST(story(table, its).ends_with("dropped a, changed, forgotten"));
  BOOST_TEST(story(table, {{"document", "999999"}}) == "nothing");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(routers_destinations_and_doubt_are_told) {
  Harness table{PlanText{}.source("s", kByName).potent("a", "0").potent("b", "0").text, {{"grace", "1000"}}};
  Reply const one = table.found("u");
  table.of("ROUTED", one, {{"router", "s"}, {"chosen", "a"}});
  table.sending(one, "a");
  table.close(1);
  table.pass(2'000);
  table.run("PAUSE", {{"destination", "a"}});
  std::string const all = story(table);
  BOOST_TEST(all.find("routed a, dropped b") != std::string::npos, all);
  BOOST_TEST(all.find("in_doubt a") != std::string::npos, all);
  BOOST_TEST(all.ends_with("mode a shut"), all);
}

BOOST_AUTO_TEST_CASE(a_failure_has_its_class_its_message_and_how_many_there_were) {
  Harness table;
  Reply const one = table.found("u");
  table.of("FAILED", one, {{"destination", "a"}, {"class", "disk-full"}, {"error", "no room"}});
  Reply const history = table.run("HISTORY", {});
  std::size_t const last = history.messages.size() - 1;
  BOOST_TEST(history.get("what", last) == "error");
  BOOST_TEST(history.get("class", last) == "disk-full");
  BOOST_TEST(history.get("error", last) == "no room");
  BOOST_TEST(history.get("failures", last) == "1");
  BOOST_TEST(history.get("date", last) != "-");
  BOOST_TEST(history.get("uri", last) == "u");
}

BOOST_AUTO_TEST_CASE(it_is_read_in_pages) {
  Harness table;
  for (int at = 0; at < 7; ++at) table.found("u" + std::to_string(at), "1", {{"hand_out", "0"}});
  std::string after;
  std::size_t events = 0;
  std::size_t pages = 0;
  do {
    Texts with{{"count", "3"}};
    if (!after.empty()) with["after"] = after;
    Reply const reply = table.run("HISTORY", with);
    events += reply.messages.size();
    ++pages;
    after = reply.get("after", reply.messages.size() - 1);
    BOOST_REQUIRE(pages < 10U);
  } while (after != "-");
  BOOST_TEST(events == 7U);
  BOOST_TEST(pages == 3U);
}

BOOST_AUTO_TEST_CASE(it_stays_within_its_memory_and_keeps_the_newest) {
  Harness table{two_outputs(), {{"history", "10000"}}};
  for (int at = 0; at < 2'000; ++at) table.found("u" + std::to_string(at), "1", {{"hand_out", "0"}});
  History const& history = table.table->shared().documents.history();
  BOOST_TEST(history.memory_bytes() <= 10'000U);
  BOOST_TEST(history.end() == 2'001U);
  BOOST_TEST(history.begin() > 1'700U);
  Reply const reply = table.run("HISTORY", {{"count", "1000"}});
  BOOST_TEST(reply.get("uri", reply.messages.size() - 1) == "u1999");
  Harness none{two_outputs(), {{"history", "0"}}};
  none.found("u");
  BOOST_TEST(story(none) == "nothing");
}

BOOST_AUTO_TEST_CASE(an_original_is_told_with_all_that_was_made_of_it) {
  Harness table;
  Reply const file = table.found("u");
  Reply const one = table.of("CHILD", file, {{"child", "1"}});
  Reply const below = table.of("CHILD", one, {{"child", "1.1"}});
  table.of("CHILDREN_DONE", one, {{"count", "1"}});
  table.of("CHILDREN_DONE", file, {{"count", "1"}});
  table.found("other");
  auto const documents = [&](Texts with) {
    std::map<std::string, std::string> out;  // how it was found, by number
    std::string after;
    do {
      with["children"] = "1";
      with["count"] = "2";
      if (!after.empty()) with["after"] = after;
      Reply const page = table.run("HISTORY", with);
      BOOST_TEST_REQUIRE(page.messages.size() <= 2U);
      for (std::size_t at = 0; at < page.messages.size(); ++at) {
        if (page.get("what", at) == "found") out[page.get("document", at)] = page.get("uri", at);
        if (page.get("what", at) == "children_done") BOOST_TEST(page.get("children", at) == "1");
      }
      after = page.get("after", page.messages.size() - 1);
    } while (after != "-");
    return out;
  };
  std::map<std::string, std::string> const of_one{{one.get("document"), "1"}, {below.get("document"), "1.1"}};
  BOOST_TEST((documents({{"document", one.get("document")}}) == of_one));
  std::map<std::string, std::string> of_file = of_one;
  of_file[file.get("document")] = "u";
  BOOST_TEST((documents({{"document", file.get("document")}}) == of_file));
  BOOST_TEST(table.run("HISTORY", {{"children", "1"}}).error() == "missing_parameter");
}

// As they were then, whatever came later.
BOOST_AUTO_TEST_CASE(events_name_the_content_the_version_and_the_family) {
  Harness table;
  Reply const one = table.found("u", "first");
  Reply const child = table.of("CHILD", one, {{"child", "c"}});
  table.of("CHILDREN_DONE", one, {{"count", "1"}});
  table.found("u", "second", {{"hand_out", "0"}});
  Reply const of_one = table.run("HISTORY", {{"document", one.get("document")}});
  BOOST_TEST(of_one.get("what", 0) == "found");
  BOOST_TEST(of_one.get("hash", 0) == "first");
  BOOST_TEST(of_one.get("generation", 0) == "-");
  BOOST_TEST(of_one.get("parent", 0) == "-");
  std::size_t const last = of_one.messages.size() - 1;
  BOOST_TEST(of_one.get("what", last) == "changed");
  BOOST_TEST(of_one.get("hash", last) == "second");
  BOOST_TEST(of_one.get("generation", last) == "1");
  Reply const of_child = table.run("HISTORY", {{"document", child.get("document")}});
  for (std::size_t at = 0; at < of_child.messages.size(); ++at) {
    BOOST_TEST(of_child.get("parent", at) == one.get("document"), of_child.get("what", at));
    BOOST_TEST(of_child.get("original", at) == one.get("document"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
