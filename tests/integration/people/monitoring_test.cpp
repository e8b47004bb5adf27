// conf/monitoring: promtool accepts the alert rules and plays their tests, the dashboard fits its schema, and every
// figure that either names is one that the daemon or the forwarder tells.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/integration/shell.h"
#include "tests/support/certificates.h"

using namespace fastjournal::test;

namespace {

using Json = nlohmann::json;

std::string const kRules = FJ_SOURCE_DIR "/conf/monitoring/fastjournal.rules.yml";
std::string const kRulesTest = FJ_SOURCE_DIR "/tests/monitoring/rules_test.yml";
std::string const kDashboard = FJ_SOURCE_DIR "/conf/monitoring/fastjournal-dashboard.json";
std::string const kSchema = FJ_SOURCE_DIR "/tests/monitoring/dashboard.schema.json";

std::string text_of(std::string const& path) {
  std::ifstream file{path, std::ios::binary};
  BOOST_REQUIRE_MESSAGE(file.is_open(), path);
  return {std::istreambuf_iterator<char>{file}, {}};
}

void expect_success(std::vector<std::string> const& words) {
  ChildProcess child{words};
  BOOST_TEST(child.wait().value_or(-1) == 0, words[0] << " " << words[1] << "\n" << child.output());
}

std::multiset<std::string> found_in(std::string const& text, std::string const& pattern) {
  std::regex const regex{pattern};
  std::multiset<std::string> out;
  for (std::sregex_iterator at{text.begin(), text.end(), regex}, end; at != end; ++at) out.insert((*at)[1]);
  return out;
}

// Names of all samples, as `fastjournal_log_sync_seconds_bucket`.
std::set<std::string> samples_of(std::string const& exposition) {
  std::set<std::string> out;
  std::istringstream lines{exposition};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("fastjournal_")) out.insert(line.substr(0, line.find_first_of("{ ")));
  return out;
}

// What a daemon with TLS and tables of every type tells once a row was done, and a forwarder that was connected to it.
struct Told {
  std::string daemon;
  std::string forwarder;
};

Told told_by_all() {
  RealDaemon daemon{""};
  Authority authority;
  Certificate const own = authority.issue();
  daemon.write("server.pem", own.certificate);
  write_private((daemon.folder() / "server.key").string(), own.key);
  daemon.write(
      "fastjournal.xml",
      "<fastjournal><listen address=\"127.0.0.1:0\" tls=\"true\"/>\n"
      "<tls certificate=\"server.pem\" key=\"server.key\"/><socket path=\"socket\" rights=\"all\"/></fastjournal>\n");
  daemon.write("tables/post.xml", "<table name=\"post\" model=\"queue\"><queues>orders</queues></table>\n");
  daemon.write("tables/cache.xml", "<table name=\"cache\" model=\"keyvalue\"/>\n");
  daemon.write("tables/images.xml", "<table name=\"images\" model=\"blob\"/>\n");
  std::filesystem::create_directories(daemon.folder() / "tables/plans");
  daemon.write("tables/plans/docs.xml", text_of(FJ_SOURCE_DIR "/tests/transcripts/plans/docs.xml"));
  daemon.write("tables/docs.xml", "<table name=\"docs\" model=\"pipeline\"><plan>plans/docs.xml</plan></table>\n");
  daemon.listens_as_configured = true;
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  Ran ran =
      run_in_shell(daemon,
                   "fastjournal put jobs --spool spool name=a && fastjournal-client spool --server unix:socket --once "
                   "&& fastjournal work jobs --once --quiet -- true");
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.output);
  Told out;
  out.forwarder = text_of((daemon.folder() / "spool/forwarder/metrics.prom").string());
  ran = run_in_shell(daemon, "fastjournal --json call METRICS");
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.output);
  out.daemon = Json::parse(ran.output).at("text").get<std::string>();
  daemon.kill(SIGTERM);
  static_cast<void>(daemon.wait());
  return out;
}

std::set<std::string> real_names() {
  Told const told = told_by_all();
  std::set<std::string> names = samples_of(told.forwarder);
  names.merge(samples_of(told.daemon));
  // Of logs that nodes share, which this daemon has not (doc/cluster.md); tests/world/shared_logs_test.cpp has them.
  names.insert("fastjournal_log_owner");
  return names;
}

std::vector<Json> panels_of(Json const& dashboard) {
  std::vector<Json> out;
  for (Json const& panel : dashboard.at("panels"))
    if (panel.at("type") != "row") out.push_back(panel);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(monitoring)

BOOST_AUTO_TEST_CASE(the_rules_are_accepted_and_play_their_tests) {
  expect_success({"promtool", "check", "rules", kRules});
  expect_success({"promtool", "test", "rules", kRulesTest});
}

// Quiet once, and firing once.
BOOST_AUTO_TEST_CASE(each_rule_has_a_test_of_both_kinds) {
  std::string const tests = text_of(kRulesTest);
  std::multiset<std::string> const rules = found_in(text_of(kRules), "- alert: (\\w+)");
  std::multiset<std::string> const quiet = found_in(tests, "alertname: (\\w+), exp_alerts: \\[\\]");
  std::multiset<std::string> const firing = found_in(tests, "alertname: (\\w+)\\n +exp_alerts:\\n");
  BOOST_TEST(rules.size() >= 20U);
  BOOST_TEST((rules == quiet));
  BOOST_TEST((rules == firing));
}

BOOST_AUTO_TEST_CASE(every_figure_that_they_name_is_real) {
  std::set<std::string> const real = real_names();
  for (std::string const& path : {kRules, kRulesTest, kDashboard}) {
    std::multiset<std::string> const used = found_in(text_of(path), "\\b(fastjournal_[a-z0-9_]+)");
    BOOST_TEST(!used.empty());
    for (std::string const& name : std::set<std::string>(used.begin(), used.end()))
      BOOST_TEST(real.contains(name), path << " names " << name << ", which nobody tells");
  }
}

// As it finds faults in their names and texts, too.
BOOST_AUTO_TEST_CASE(promtool_has_no_remark_on_any_figure) {
  Told const told = told_by_all();
  for (char const* const type : {"jobs", "post", "cache", "images", "docs"})
    BOOST_TEST(told.daemon.find("table=\"" + std::string{type} + "\"") != std::string::npos, type);
  TemporaryFolder const folder;
  for (std::string const& text : {told.daemon, told.forwarder}) {
    std::string const file = folder / "metrics.prom";
    std::ofstream{file} << text;
    ChildProcess child{{"/bin/sh", "-c", "exec promtool check metrics < " + file}};
    BOOST_TEST(child.wait().value_or(-1) == 0, child.output());
    BOOST_TEST(child.output() == "");
  }
}

BOOST_AUTO_TEST_CASE(the_dashboard_fits_its_schema) {
  expect_success({"python3", "-c",
                  "import json, sys, jsonschema\n"
                  "schema, dashboard = (json.load(open(path)) for path in sys.argv[1:])\n"
                  "jsonschema.Draft202012Validator.check_schema(schema)\n"
                  "jsonschema.validate(dashboard, schema)\n",
                  kSchema, kDashboard});
  // What a schema cannot say.
  Json const dashboard = Json::parse(text_of(kDashboard));
  std::set<int> ids;
  for (Json const& panel : dashboard.at("panels")) {
    BOOST_TEST(ids.insert(panel.at("id").get<int>()).second, panel.at("title"));
    BOOST_TEST(panel.at("gridPos").at("x").get<int>() + panel.at("gridPos").at("w").get<int>() <= 24,
               panel.at("title"));
  }
}

// Its expressions, as recording rules with a value for each variable.
BOOST_AUTO_TEST_CASE(the_expressions_of_the_dashboard_are_accepted) {
  TemporaryFolder const folder;
  Json rules = Json::array();
  for (Json const& panel : panels_of(Json::parse(text_of(kDashboard))))
    for (Json const& target : panel.at("targets")) {
      std::string expression = target.at("expr");
      expression = std::regex_replace(expression, std::regex{"\\$__rate_interval"}, "5m");
      expression = std::regex_replace(expression, std::regex{"\\$(instance|table)"}, ".*");
      BOOST_TEST(expression.find('$') == std::string::npos, expression);
      rules.push_back({{"record", "r" + std::to_string(rules.size())}, {"expr", expression}});
    }
  BOOST_TEST(rules.size() > 20U);
  // JSON is YAML too.
  Json const file{{"groups", Json::array({{{"name", "dashboard"}, {"rules", rules}}})}};
  std::ofstream{folder / "rules.yml"} << file.dump();
  expect_success({"promtool", "check", "rules", folder / "rules.yml"});
}

BOOST_AUTO_TEST_SUITE_END()
