// Documents that their source does not have any more, where the plan says deleted="tell".
#include <boost/test/unit_test.hpp>

#include "tests/unit/pipeline/harness.h"

namespace fastjournal::pipeline::test {

namespace {

std::string telling(bool keeps_versions = false) {
  return PlanText{}.telling("s", kAll, keeps_versions).idempotent("a", "0").potent("b", "0").text;
}

class Files : public Harness {
 public:
  explicit Files(std::string const& plan = telling(), Texts const& options = {}) : Harness(plan, options) {}

  Reply gone(std::string const& uri, Texts more = {}) {
    more["source"] = "s";
    more["uri"] = uri;
    more["gone"] = "1";
    return run("FOUND", more);
  }
  Reply arrived(std::string const& uri) {
    Reply const document = found(uri);
    deliver(document, "a");
    deliver(document, "b");
    return document;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline_gone)

BOOST_AUTO_TEST_CASE(what_is_gone_is_deleted_everywhere_and_then_forgotten) {
  Files table;
  Reply const stored = table.arrived("u");
  Reply const gone = table.gone("u");
  BOOST_TEST(gone.get("document") == stored.get("document"));
  BOOST_TEST(gone.get("change") == "changed");
  BOOST_TEST(gone.get("operation") == "delete");
  BOOST_TEST(gone.get("hash") == "-");
  BOOST_TEST(gone.get("destinations") == "a b");
  BOOST_TEST(table.why(gone).find("does not have it any more") != std::string::npos);
  table.deliver(gone, "a");
  BOOST_TEST(table.gone("u").get("change") == "processing");
  table.restart();
  BOOST_TEST(table.states(gone) == "a=sent b=processing");
  table.deliver(gone, "b");
  table.pass(0);
  BOOST_TEST(table.run("WHY", {{"document", gone.get("document")}}).error() == "unknown_row");
  BOOST_TEST(table.count("all") == 0U);
  BOOST_TEST(table.gone("u").get("change") == "unchanged");
  BOOST_TEST(table.found("u").get("change") == "new");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(one_that_comes_back_is_not_deleted_any_more) {
  Files table;
  table.arrived("u");
  Reply const gone = table.gone("u");
  table.deliver(gone, "a");
  Reply const again = table.found("u", "2");
  BOOST_TEST(again.get("document") == gone.get("document"));
  BOOST_TEST(again.get("change") == "changed");
  BOOST_TEST(again.get("operation") == "-");
  BOOST_TEST(again.get("destinations") == "a b");
  BOOST_TEST(table.sending(gone, "b").name() == "CANCELLED");
  table.deliver(again, "a");
  table.deliver(again, "b");
  table.pass(0);
  BOOST_TEST(table.count("done") == 1U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_version_that_is_missing_arrives_before_it_is_deleted) {
  Files table{telling(true)};
  Reply const first = table.found("u");
  table.deliver(first, "a");
  Reply const gone = table.gone("u", {{"hand_out", "0"}});
  BOOST_TEST(gone.get("document") != first.get("document"));
  BOOST_TEST(table.next({{"destination", "b"}}).name() == "NOTHING");
  table.deliver(first, "b");
  Reply const next = table.next();
  BOOST_TEST(next.get("operation") == "delete");
  table.deliver(next, "a");
  table.deliver(next, "b");
  table.pass(0);
  BOOST_TEST(table.count("all") == 0U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(what_was_made_of_it_stays_to_be_looked_at) {
  Files table;
  Reply const file = table.found("u");
  Reply const line = table.of("CHILD", file, {{"child", "1"}});
  for (std::string const name : {"a", "b"}) table.deliver(line, name);
  table.of("CHILDREN_DONE", file, {{"count", "1"}});
  for (std::string const name : {"a", "b"}) table.deliver(file, name);
  Reply const gone = table.gone("u");
  for (std::string const name : {"a", "b"}) table.deliver(gone, name);
  table.pass(0);
  BOOST_TEST(table.count("orphans") == 1U);
  BOOST_TEST(table.count("all") == 2U);
  BOOST_TEST(table.run("FORGET", {{"document", line.get("document")}}).get("count") == "1");
  table.pass(0);
  BOOST_TEST(table.count("all") == 0U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(what_fails_for_good_stays_for_a_person) {
  Files table;
  table.arrived("u");
  Reply const gone = table.gone("u");
  table.failed(gone, "a", "k", true);
  table.deliver(gone, "b");
  table.pass(0);
  BOOST_TEST(table.count("failed") == 1U);
  table.run("DROP", {{"document", gone.get("document")}, {"status", "error_doc"}});
  table.pass(0);
  BOOST_TEST(table.count("all") == 0U);
}

BOOST_AUTO_TEST_CASE(documents_in_files_come_back_to_be_deleted) {
  Files table{telling(), {{"ended-in-memory", "0"}}};
  for (int at = 0; at < 200; ++at) table.arrived("u" + std::to_string(at));
  while (table.begin_move_out()) table.end_move_out();
  std::uint64_t const archived = table.table->shared().documents.archive().size();
  BOOST_TEST_REQUIRE(archived > 0U);
  Reply const gone = table.gone("u0");
  BOOST_TEST(gone.get("change") == "changed");
  // It waits, and is not put back there.
  while (table.begin_move_out()) table.end_move_out();
  table.deliver(gone, "a");
  table.deliver(gone, "b");
  table.pass(0);
  BOOST_TEST(table.count("all") == 199U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(it_is_told_in_the_history) {
  Files table;
  Reply const stored = table.arrived("u");
  table.gone("u", {{"hand_out", "0"}});
  Reply const reply = table.run("HISTORY", {{"document", stored.get("document")}});
  std::size_t const last = reply.messages.size() - 1;
  BOOST_TEST(reply.get("what", last) == "changed");
  BOOST_TEST(reply.get("operation", last) == "delete");
  BOOST_TEST(reply.get("hash", last) == "-");
}

BOOST_AUTO_TEST_CASE(refusals_say_what_was_expected_of_what_is_gone) {
  Files table;
  BOOST_TEST(table.gone("u", {{"hash", "1"}}).error() == "bad_parameter");
  BOOST_TEST(table.found("u", std::string{kGoneHash}).error() == "bad_parameter");
  BOOST_TEST(table.gone("u", {{"dry_run", "1"}}).get("change") == "unchanged");
  BOOST_TEST(table.count("all") == 0U);
  table.arrived("u");
  BOOST_TEST(table.gone("u", {{"dry_run", "1"}}).get("change") == "changed");
  BOOST_TEST(table.states(table.found("u")) == "a=sent b=sent");
  table.run("DRAIN", {});
  BOOST_TEST(table.gone("u").error() == "paused");
  Harness other;
  Reply const refused = other.run("FOUND", {{"source", "s"}, {"uri", "u"}, {"gone", "1"}});
  BOOST_TEST(refused.error() == "bad_parameter");
  BOOST_TEST(refused.status.message().find("deleted=\"tell\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
