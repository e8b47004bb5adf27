// The verdict in words: a correct run is reported as correct, and each possible error is named, in the table and in the
// JSON object.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <functional>

#include "clients/main_job/report.h"

namespace fastjournal::main_job {
namespace {

Outcome right_one() {
  Outcome outcome;
  outcome.pages_wanted = 3;
  outcome.counts = {.pages = 3, .finished = 3, .inserted = 3, .merged = 2, .leased = 5, .again = 2, .done = 3};
  outcome.verdict.timed_out = 2;
  outcome.verdict.came_back = 1;
  outcome.verdict.folded = 1;
  outcome.killed = "backend-2";
  outcome.killed_rows = 2;
  outcome.seconds = 1.5;
  outcome.lateness.add(120);
  outcome.daemon.done = 3;
  outcome.index_pages = 3;
  outcome.query = "license";
  outcome.hits = {{"file:///a%20b", "A title", "the [license]"}};
  return outcome;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(main_job_report)

BOOST_AUTO_TEST_CASE(a_right_run_is_called_right) {
  Outcome const outcome = right_one();
  BOOST_TEST(what_is_wrong(outcome).empty());
  std::string const text = table_of(outcome);
  for (char const* shown : {"inserted", "merged", "done", "timed out", "handed out again", "lost", "double", "rows/s",
                            "lateness p99", "/a b", "the [license]", "Nothing was lost"})
    BOOST_TEST(text.find(shown) != std::string::npos, shown);
  auto const json = nlohmann::json::parse(json_of(outcome));
  BOOST_TEST(json["ok"] == true);
  BOOST_TEST(json["lost"] == 0);
  BOOST_TEST(json["double"] == 0);
  BOOST_TEST(json["rows_per_s"] == 2.0);
  BOOST_TEST(json["index"]["hits"][0]["path"] == "/a b");
}

BOOST_AUTO_TEST_CASE(whatever_is_wrong_is_named) {
  std::vector<std::pair<char const*, std::function<void(Outcome&)>>> const cases{
      {"row 7 lost", [](Outcome& o) { o.verdict.lost = {"row 7 lost"}; }},
      {"row 8 twice", [](Outcome& o) { o.verdict.doubled = {"row 8 twice"}; }},
      {"file:///gone", [](Outcome& o) { o.index_missing = {"file:///gone"}; }},
      {"2 of 3 pages", [](Outcome& o) { o.counts.pages = 2; }},
      {"answers nothing", [](Outcome& o) { o.hits.clear(); }},
      {"only 1 rows came back", [](Outcome& o) { o.verdict.folded = 0; }},
      {"the daemon counts 4", [](Outcome& o) { o.daemon.done = 4; }},
      {"1 rows are left", [](Outcome& o) { o.daemon.rows_left = 1; }},
      {"daemon: killed", [](Outcome& o) { o.problems = {"daemon: killed"}; }},
  };
  for (auto const& [named, spoil] : cases) {
    Outcome outcome = right_one();
    spoil(outcome);
    BOOST_TEST(what_is_wrong(outcome).size() == 1U, named);
    std::string const text = table_of(outcome);
    BOOST_TEST(text.find("NOT RIGHT") != std::string::npos, named);
    BOOST_TEST(text.find(named) != std::string::npos, text);
    BOOST_TEST(nlohmann::json::parse(json_of(outcome))["ok"] == false, named);
  }
}

BOOST_AUTO_TEST_CASE(of_many_findings_some_are_shown_and_all_are_counted) {
  Outcome outcome = right_one();
  outcome.verdict.lost.assign(12, "a page");
  BOOST_REQUIRE(what_is_wrong(outcome).size() == 1U);
  BOOST_TEST(what_is_wrong(outcome)[0].find("12 lost") == 0U);
  BOOST_TEST(what_is_wrong(outcome)[0].find("and 7 more") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::main_job
