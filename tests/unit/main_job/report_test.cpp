// The verdict in words: a correct run is reported as correct, and each possible error is named, in the table and in the
// JSON object.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <functional>

#include "clients/demo/main_job/report.h"

namespace fastjournal::main_job {
namespace {

Outcome right_one() {
  Outcome outcome;
  outcome.pages_wanted = 3;
  outcome.counts = {.pages = 3, .finished = 3, .saved = 5, .leased = 5, .again = 2, .done = 3};
  outcome.verdict.timed_out = 2;
  outcome.verdict.came_back = 1;
  outcome.verdict.folded = 1;
  outcome.killed = "backend-2";
  outcome.killed_rows = 2;
  outcome.seconds = 1.5;
  outcome.lateness.add(120);
  outcome.saves = {.count = 5, .p99_us = 9, .slowest_us = 812};
  outcome.outage = {.seconds = 3.04, .saves = {.count = 2, .p99_us = 46, .slowest_us = 47}, .caught_up_seconds = 1.2};
  outcome.forwarder = {.sent = 6, .confirmed = 5};
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
  for (char const* shown :
       {"saved", "the slowest 0.81 ms", "merged", "done", "daemon stopped", "3.0 s", "2 changes were saved meanwhile",
        "0.05 ms", "caught up", "6 sent, 0 set aside", "timed out", "handed out again", "lost", "double", "rows/s",
        "lateness p99", "/a b", "the [license]", "Nothing was lost"})
    BOOST_TEST(text.find(shown) != std::string::npos, shown);
  auto const json = nlohmann::json::parse(json_of(outcome));
  BOOST_TEST(json["ok"] == true);
  BOOST_TEST(json["lost"] == 0);
  BOOST_TEST(json["double"] == 0);
  BOOST_TEST(json["rows_per_s"] == 2.0);
  BOOST_TEST(json["saved"] == 5);
  BOOST_TEST(json["merged"] == 2);
  BOOST_TEST(json["save_us"]["slowest"] == 812);
  BOOST_TEST(json["daemon_stopped"]["seconds"] == 3.04);
  BOOST_TEST(json["daemon_stopped"]["saved"] == 2);
  BOOST_TEST(json["daemon_stopped"]["save_us"]["slowest"] == 47);
  BOOST_TEST(json["forwarder"]["confirmed"] == 5);
  BOOST_TEST(json["forwarder"]["set_aside"] == 0);
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
      {"the daemon was not stopped", [](Outcome& o) { o.outage = {}; }},
      {"set 1 changes aside", [](Outcome& o) { o.forwarder.set_aside = 1; }},
      {"7 bytes of the spool", [](Outcome& o) { o.forwarder.damaged_bytes = 7; }},
      {"brought 4 over", [](Outcome& o) { o.forwarder.confirmed = 4; }},
      {"brought 6 over", [](Outcome& o) { o.forwarder.confirmed = 6; }},
      {"9 bytes wait", [](Outcome& o) { o.forwarder.waiting_bytes = 9; }},
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

BOOST_AUTO_TEST_CASE(the_forwarders_figures_are_read_or_refused) {
  auto const read = forwarder_figures_of(
      R"({"format":1,"figures":{"sent":9,"confirmed":8,"held":3,"set_aside":1,"damaged_bytes":2,"waiting_bytes":4}})");
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().message());
  BOOST_TEST(
      (read.value() ==
       ForwarderFigures{.sent = 9, .confirmed = 8, .held = 3, .set_aside = 1, .damaged_bytes = 2, .waiting_bytes = 4}));
  for (char const* bad :
       {"", "{", "7", "{}", R"({"figures":7})", R"({"figures":{"sent":9}})",
        R"({"figures":{"sent":-9,"confirmed":8,"held":3,"set_aside":1,"damaged_bytes":2,"waiting_bytes":4}})"})
    BOOST_TEST((forwarder_figures_of(bad).status().code() == Code::invalid), bad);
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
