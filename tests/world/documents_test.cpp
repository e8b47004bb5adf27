// The examples in the documents are true: their conversations are played in the simulator, and the loader reads their
// XML. The kinds of example blocks: tests/support/documents.h.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "config/daemon_reader.h"
#include "config/plan_reader.h"
#include "config/table_reader.h"
#include "config/type_reader.h"
#include "tests/support/documents.h"
#include "tests/support/temporary_folder.h"
#include "tests/world/transcript.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim::documents_test {
namespace {

using test::Example;

std::string const kRoot = FJ_SOURCE_DIR;

std::string place_of(Example const& example, std::size_t line = 0) {
  return example.document + ":" + std::to_string(example.line + static_cast<int>(line));
}

std::vector<Example> examples(std::string_view language) {
  std::vector<Example> out;
  for (std::string const& document : test::documents(kRoot))
    for (Example& example : test::examples_of(kRoot, document))
      if (example.language == language) out.push_back(std::move(example));
  return out;
}

std::unique_ptr<DocumentPlayer> new_world(Example const& example) {
  auto player = std::make_unique<DocumentPlayer>(1);
  for (std::string const& table : example.words) {
    std::string path = kRoot + "/conf/tables.d/" + table + ".xml";
    if (!std::filesystem::exists(path)) path = kRoot + "/tests/transcripts/" + table + ".xml";
    std::string const wrong = player->add_table(path);
    BOOST_TEST(wrong.empty(), place_of(example) << ": " << wrong);
  }
  return player;
}

config::TypesByName types() {
  config::TypesByName out;
  for (std::string const name : {"journal", "keyvalue", "blob", "queue", "pipeline"}) {
    Result<TypeDeclaration> type = config::read_type(kRoot + "/plugins/" + name + "/" + name + ".xml");
    BOOST_REQUIRE_MESSAGE(type.ok(), type.status().text());
    out.emplace(name, std::make_shared<TypeDeclaration>(std::move(type).value()));
  }
  return out;
}

// The value of name="..." in the first XML element.
std::string name_in(std::string const& xml) {
  std::size_t const at = xml.find("name=\"") + 6;
  return xml.substr(at, xml.find('"', at) - at);
}

Status load_plan(std::string const& shown) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "plan.xml";
  std::ofstream{path} << shown;
  Result<config::PlanFile> const file = config::read_plan(path);
  if (!file.ok()) return file.status();
  return file->findings.empty() ? Status{} : Status{Code::bad_configuration, file->findings.front().what};
}

Status load(std::string const& shown) {
  if (shown.find("<plan ") != std::string::npos) return load_plan(shown);
  test::TemporaryFolder const folder;
  std::string text = shown;
  std::string name = "shown";
  bool const daemon = shown.find("<fastjournal") != std::string::npos;
  if (shown.find("<table ") != std::string::npos) {
    name = name_in(shown.substr(shown.find("<table ")));
  } else if (!daemon) {
    text =
        "<table name=\"shown\" model=\"journal\" row-key=\"uri\"><schema><column name=\"uri\" "
        "type=\"string\"/></schema>\n" +
        shown + "</table>\n";
  }
  std::string const path = folder / (name + ".xml");
  std::ofstream{path} << text;
  // The plan of a pipeline table, beside it.
  if (std::size_t const at = text.find("<plan>"); at != std::string::npos) {
    std::filesystem::path const plan = folder / text.substr(at + 6, text.find('<', at + 6) - at - 6);
    std::filesystem::create_directories(plan.parent_path());
    std::filesystem::copy_file(kRoot + "/tests/transcripts/plans/docs.xml", plan);
  }
  return daemon ? config::read_daemon(path).status() : config::read_table(path, types()).status();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(documents)

BOOST_AUTO_TEST_CASE(conversations_go_as_they_are_shown) {
  std::vector<Example> const all = examples("transcript");
  BOOST_REQUIRE(!all.empty());
  std::unique_ptr<DocumentPlayer> player;
  std::string document;
  for (Example const& example : all) {
    bool const goes_on = example.words.empty() && example.document == document;
    BOOST_REQUIRE_MESSAGE(goes_on || !example.words.empty(), place_of(example) << ": names no table");
    if (!goes_on) player = new_world(example);
    document = example.document;
    for (std::size_t i = 0; i < example.lines.size(); ++i) {
      std::string const wrong = player->step(example.lines[i]);
      BOOST_TEST(wrong.empty(), place_of(example, i) << ": " << example.lines[i] << "\n  " << wrong);
      if (!wrong.empty()) break;
    }
  }
}

BOOST_AUTO_TEST_CASE(declarations_are_taken_by_the_loader) {
  std::vector<Example> const all = examples("xml");
  BOOST_REQUIRE(!all.empty());
  for (Example const& example : all) {
    std::string text;
    for (std::string const& line : example.lines) text += line + "\n";
    Status const status = load(text);
    BOOST_TEST(status.ok(), place_of(example) << ": " << status.text());
  }
}

// "cat > FILE.xml <<END", with the variables of one node.
BOOST_AUTO_TEST_CASE(declarations_that_commands_write_are_taken_by_the_loader) {
  std::size_t files = 0;
  for (Example const& example : examples("sh")) {
    std::string text;
    bool is_inside = false;
    for (std::string line : example.lines) {
      if (line == "END" && is_inside) {
        is_inside = false;
        ++files;
        Status const status = load(text);
        BOOST_TEST(status.ok(), place_of(example) << ": " << status.text());
      }
      for (auto const& [name, value] : {std::pair{"$name", "n1"}, std::pair{"$address", "192.0.2.1"}})
        for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name))
          line.replace(at, std::string_view{name}.size(), value);
      if (is_inside) text += line + "\n";
      if (line.starts_with("cat > ") && line.ends_with(".xml <<END")) {
        is_inside = true;
        text.clear();
      }
    }
  }
  BOOST_TEST(files > 0U);
}

BOOST_AUTO_TEST_CASE(every_figure_of_stats_is_explained_and_no_other) {
  std::set<std::string> told;
  World world{1};
  BOOST_REQUIRE(world.add_table(kRoot + "/conf/tables.d/pages.xml").ok());
  BOOST_REQUIRE(world.start().ok());
  world.send("main", "STATS");
  world.settle();
  while (auto line = world.take_line("main")) {
    Message message;
    BOOST_REQUIRE(protocol::parse_line(*line, message).ok());
    for (Param const& param : message.params())
      if (param.name != "table" && param.name != "left") told.emplace(param.name);
  }
  told.emplace("certificate_end_date");  // only with TLS, which the simulated network does not have
  // Only if there were any in the last minute.
  for (std::string const name : {"lateness", "wait", "processing"}) told.emplace(name + "_ms_p99_minute");
  std::ifstream file{kRoot + "/doc/operations.md"};
  std::set<std::string> explained;
  bool inside = false;  // inside a table of figures
  for (std::string line; std::getline(file, line);) {
    inside = line.starts_with("| field |") || (inside && line.starts_with("|"));
    std::string const names = inside ? line.substr(0, line.find(" | ")) : "";
    for (std::size_t at = names.find('`'); at != std::string::npos; at = names.find('`', at)) {
      std::size_t const end = names.find('`', at + 1);
      explained.insert(names.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  for (std::string const& name : told) BOOST_TEST(explained.contains(name), "doc/operations.md lacks " << name);
  for (std::string const& name : explained) BOOST_TEST(told.contains(name), "STATS has no " << name);
}

BOOST_AUTO_TEST_CASE(every_block_says_what_it_is) {
  for (std::string const& document : test::documents(kRoot))
    for (Example const& example : test::examples_of(kRoot, document)) {
      bool const known =
          example.language == "transcript" || example.language == "xml" || example.language == "console" ||
          example.language == "text" ||
          (example.language == "sh" && (document == "doc/security.md" || document == "doc/cluster.md")) ||
          (example.language == "fj" && document == "doc/fj-protocol.md") ||
          (example.language == "stomp" && document == "doc/stomp.md") ||
          (example.language == "beanstalkd" && document == "doc/beanstalkd.md") ||
          (document == "doc/sqs.md" &&
           (example.language == "sqs" || example.language == "python" || example.language == "sh")) ||
          (example.language == "sql" && document == "doc/queue.md") ||
          (test::has_daemon_of_its_own(document) && example.words.size() == 1) ||
          (document == "doc/blob.md" && (example.language == "cpp" || example.language == "c")) ||
          (document == "doc/pipeline.md" && (example.language == "python" || example.language == "javascript")) ||
          (document == "doc/http.md" &&
           (example.language == "http" || example.language == "python" || example.language == "javascript"));
      BOOST_TEST(known, place_of(example)
                            << ": ```" << example.language << ": expected transcript, xml, console or text");
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::documents_test
