// DRAIN: what is new or has changed is refused until RESUME, and everything else goes on; over restarts, copies of the log
// and newer plans.
#include <boost/test/unit_test.hpp>

#include "tests/unit/pipeline/harness.h"

namespace fastjournal::pipeline::test {

BOOST_AUTO_TEST_SUITE(pipeline_drain)

BOOST_AUTO_TEST_CASE(what_is_new_or_has_changed_is_refused_until_it_is_over) {
  Harness table;
  Reply const one = table.found("u", "1");
  Reply const other = table.found("v", "1", {{"hand_out", "0"}});
  Reply const drains = table.run("DRAIN", {{"reason", "it moves"}, {"worker", "ann"}});
  BOOST_TEST(drains.name() == "DRAINING");
  BOOST_TEST(drains.get("by") == "ann");
  BOOST_TEST(drains.get("reason") == "it moves");
  for (auto const& [uri, hash] : {std::pair{"w", "1"}, std::pair{"u", "2"}, std::pair{"v", "2"}})
    for (Texts const& more : {Texts{}, Texts{{"dry_run", "1"}}}) {
      Reply const refused = table.found(uri, hash, more);
      BOOST_TEST((refused.status.code() == Code::paused), uri << ": " << refused.status.text());
      BOOST_TEST(refused.status.message().find("draining by ann") != std::string::npos, refused.status.message());
      BOOST_TEST(refused.status.message().find("it moves") != std::string::npos, refused.status.message());
    }
  // What is missing goes on, by its finder, by NEXT and by its reports.
  BOOST_TEST(table.found("u", "1").get("change") == "processing");
  BOOST_TEST(table.next().get("document") == other.get("document"));
  BOOST_TEST(table.deliver(one, "a").name() == "RECORDED");
  BOOST_TEST(table.deliver(one, "b").name() == "RECORDED");
  BOOST_TEST(table.found("u", "1").get("change") == "unchanged");
  BOOST_TEST(table.replays());
  Reply const open = table.run("RESUME", {});
  BOOST_TEST(open.name() == "RESUMED");
  BOOST_TEST(open.get("was") == "draining");
  BOOST_TEST(table.run("RESUME", {}).get("was") == "open");
  BOOST_TEST(table.found("w", "1").get("change") == "new");
  BOOST_TEST(table.found("u", "2").get("change") == "changed");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(children_of_what_is_under_way_are_taken) {
  Harness table;
  Reply const one = table.found("u", "1");
  table.run("DRAIN", {});
  Reply const child = table.of("CHILD", one, {{"child", "1"}});
  BOOST_TEST(child.get("change") == "new", child.status.text());
}

// RESUME of a destination is not that of the table.
BOOST_AUTO_TEST_CASE(a_destination_is_opened_by_its_name) {
  Harness table;
  table.run("DRAIN", {});
  table.run("PAUSE", {{"destination", "a"}});
  BOOST_TEST(table.run("RESUME", {{"destination", "a"}}).name() == "CHANGED");
  BOOST_TEST((table.found("u").status.code() == Code::paused));
}

BOOST_AUTO_TEST_CASE(it_is_told_in_the_history) {
  Harness table;
  table.run("DRAIN", {{"worker", "ann"}, {"reason", "it moves"}});
  table.run("RESUME", {});
  Reply const history = table.run("HISTORY", {});
  BOOST_TEST(history.get("what", 0) == "drains");
  BOOST_TEST(history.get("by", 0) == "ann");
  BOOST_TEST(history.get("reason", 0) == "it moves");
  BOOST_TEST(history.get("what", 1) == "resumed");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
