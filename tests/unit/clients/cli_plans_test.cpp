// `plan check` and `plan explain`, and `check` with plans.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::test;

namespace {

constexpr char kHead[] = "<plan name=\"p\" version=\"1\">\n<source name=\"s\"/>\n";
constexpr char kGood[] = "<step name=\"store\" after=\"s\" kind=\"potent\"/>\n</plan>\n";
constexpr char kWarned[] =
    "<step name=\"bill\" after=\"s\" kind=\"potent\"/>\n"
    "<step name=\"store\" after=\"bill\" kind=\"idempotent\" guarantee=\"at-least-once\"/>\n</plan>\n";
constexpr char kBad[] = "<step name=\"store\" after=\"s\"/>\n</plan>\n";

struct Files {
  Files() {
    for (auto const& [name, body] : {std::pair{"good", kGood}, {"warned", kWarned}, {"bad", kBad}})
      std::ofstream{path(name)} << kHead << body;
    std::ofstream{path("malformed")} << "<plan name=\"p\"/>\n";
  }
  [[nodiscard]] std::string path(std::string const& name) const { return folder / (name + ".xml"); }
  // Its options, and what is said with its paths cut to names.
  [[nodiscard]] Said say(std::vector<std::string> words) const {
    Said said = run_line("127.0.0.1:1", std::move(words));
    for (std::string* const text : {&said.out, &said.err})
      for (std::size_t at = text->find(folder / ""); at != std::string::npos; at = text->find(folder / "", at))
        text->erase(at, (folder / "").size());
    return said;
  }

  test::TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cli_plans, Files)

BOOST_AUTO_TEST_CASE(check_counts_what_is_good_and_names_what_is_not) {
  Said said = say({"plan", "check", path("good")});
  BOOST_TEST((said.code == cli::ExitCode::ok));
  BOOST_TEST(said.out == "1 plan is good\n");
  said = say({"plan", "check", path("good"), path("warned")});
  BOOST_TEST((said.code == cli::ExitCode::ok));
  BOOST_TEST(said.out == "2 plans are good\n");
  BOOST_TEST(said.err.starts_with("warned.xml:4: warning: non-safe-behind-potent: step store is behind step bill"));
  said = say({"plan", "check", path("bad"), path("malformed"), path("absent")});
  BOOST_TEST((said.code == cli::ExitCode::usage));
  BOOST_TEST(said.out.empty());
  BOOST_TEST(says(said.err, "bad.xml:3: error: ends-in-safe: step store"), said.err);
  BOOST_TEST(says(said.err, "\nmalformed.xml:1: missing attribute \"version\" in <plan>"), said.err);
  BOOST_TEST(says(said.err, "\nabsent.xml: "), said.err);
}

BOOST_AUTO_TEST_CASE(warnings_are_errors_where_it_is_strict) {
  BOOST_TEST((say({"plan", "check", "--strict", path("warned")}).code == cli::ExitCode::usage));
  BOOST_TEST((say({"plan", "explain", "--strict", path("warned")}).code == cli::ExitCode::usage));
  BOOST_TEST((say({"plan", "check", "--strict", path("good")}).code == cli::ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(problems_are_objects_for_scripts) {
  Said said = say({"plan", "check", "--json", path("bad")});
  BOOST_TEST((said.code == cli::ExitCode::usage));
  nlohmann::json const problem = nlohmann::json::parse(said.out);
  BOOST_TEST(problem["file"] == "bad.xml");
  BOOST_TEST(problem["line"] == 3);
  BOOST_TEST(problem["name"] == "ends-in-safe");
  BOOST_TEST(problem["severity"] == "error");
  BOOST_TEST(!problem["problem"].get<std::string>().empty());
  said = say({"plan", "check", "--json", path("malformed")});
  BOOST_TEST(nlohmann::json::parse(said.out)["name"] == "malformed");
  // What is explained stands alone on standard output.
  said = say({"plan", "explain", "--json", path("warned")});
  BOOST_TEST(nlohmann::json::parse(said.err)["severity"] == "warning");
  nlohmann::json const explained = nlohmann::json::parse(said.out);
  BOOST_TEST(explained["plan"] == "p");
  BOOST_TEST(explained["steps"].size() == 3U);
  BOOST_TEST(explained["destinations"][1]["guarantee"] == "at-least-once");
  BOOST_TEST(explained["destinations"][1]["paths"] == nlohmann::json::parse(R"([["s", "bill", "store"]])"));
  BOOST_TEST(explained["crashes"][2] ==
             nlohmann::json::parse(
                 R"({"in":"store","runs_again":["s"],"passed":["bill"],"sent_again":["store"],"in_doubt":[]})"));
}

BOOST_AUTO_TEST_CASE(a_drawing_has_each_step_and_edge) {
  Said const said = say({"plan", "explain", "--dot", path("good")});
  BOOST_TEST(said.out.starts_with("digraph \"p\" {\n"));
  BOOST_TEST(says(said.out, "\"s\" [label=\"s\\nsource\", shape=oval];\n"));
  BOOST_TEST(says(said.out, "\"store\" [label=\"store\\npotent, at-most-once\", peripheries=2];\n"));
  BOOST_TEST(says(said.out, "\"s\" -> \"store\";\n"));
}

BOOST_AUTO_TEST_CASE(a_bad_plan_is_not_explained) {
  Said const said = say({"plan", "explain", path("bad")});
  BOOST_TEST((said.code == cli::ExitCode::usage));
  BOOST_TEST(said.out.empty());
}

BOOST_AUTO_TEST_CASE(versions_are_compared) {
  std::ofstream{path("next")}
      << "<plan name=\"p\" version=\"2\">\n<source name=\"s\"/>\n"
         "<step name=\"keep\" after=\"s\" kind=\"potent\" guarantee=\"at-least-once\"/>\n</plan>\n";
  Said said = say({"plan", "compare", path("good"), path("next"), "--rename", "store=keep"});
  BOOST_TEST((said.code == cli::ExitCode::ok), said.err);
  BOOST_TEST(said.out ==
             "plan p: version 1 becomes version 2\n\n"
             "source  becomes  what  change\n"
             "s       s        kept\n\n"
             "destination  becomes  what  change\n"
             "store        keep     kept  at-most-once becomes at-least-once\n");
  said = say({"plan", "compare", "--json", path("good"), path("next")});
  nlohmann::json const compared = nlohmann::json::parse(said.out);
  BOOST_TEST(compared["before"] == 1);
  BOOST_TEST(compared["destinations"] ==
             nlohmann::json::parse(R"([{"what":"gone","before":"store"},{"what":"new","now":"keep"}])"));
  said = say({"plan", "compare", path("next"), path("good")});
  BOOST_TEST((said.code == cli::ExitCode::usage));
  BOOST_TEST(said.err.starts_with("good.xml: error: not-newer: version 1 follows version 2, expected"), said.err);
  for (std::string const wrong : {"store", "=keep", "store="})
    BOOST_TEST(says(say({"plan", "compare", path("good"), path("next"), "--rename", wrong}).err, "expected OLD=NEW"));
  BOOST_TEST(
      says(say({"plan", "compare", path("good"), path("next"), "--rename", "store=keep", "--rename", "store=s"}).err,
           "store twice"));
  BOOST_TEST((say({"plan", "compare", path("good"), path("bad")}).code == cli::ExitCode::usage));
  BOOST_TEST((say({"plan", "compare", path("absent"), path("next")}).code == cli::ExitCode::usage));
}

BOOST_AUTO_TEST_CASE(check_of_configurations_knows_plans) {
  Said said = say({"check", path("good")});
  BOOST_TEST((said.code == cli::ExitCode::ok), said.err);
  said = say({"check", path("warned")});
  BOOST_TEST((said.code == cli::ExitCode::ok));
  BOOST_TEST(says(said.err, "warned.xml:4: non-safe-behind-potent: "));
  said = say({"check", path("bad"), path("malformed")});
  BOOST_TEST((said.code == cli::ExitCode::usage));
  BOOST_TEST(says(said.err, "bad.xml:3: ends-in-safe: "));
  BOOST_TEST(says(said.err, "malformed.xml:1: missing attribute"));
}

// Nothing is wrong with it: also where warnings are errors.
BOOST_AUTO_TEST_CASE(check_suggests_at_least_once_where_it_does_no_harm) {
  std::ofstream{path("doubt")} << kHead << "<step name=\"index\" after=\"s\" kind=\"idempotent\"/>\n</plan>\n";
  std::ofstream{path("sure")} << kHead
                              << "<step name=\"index\" after=\"s\" kind=\"idempotent\" guarantee=\"at-least-once\"/>\n"
                                 "<step name=\"mail\" after=\"s\" kind=\"potent\"/>\n</plan>\n";
  for (std::string const strict : {"", "--strict"}) {
    std::vector<std::string> words{"plan", "check", path("doubt")};
    if (!strict.empty()) words.push_back(strict);
    Said const said = say(words);
    BOOST_TEST((said.code == cli::ExitCode::ok));
    BOOST_TEST(said.err.starts_with("doubt.xml:3: suggestion: at-least-once: step index is idempotent"), said.err);
    BOOST_TEST(said.out == "1 plan is good\n");
  }
  BOOST_TEST(say({"plan", "check", path("doubt"), "--json"}).out.find("\"severity\":\"suggestion\"") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
