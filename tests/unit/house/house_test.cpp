// Checks this checkout by the rules of the house: layers and what they link, calls in the core,
// calls in tests, the opening comment of every file. Each failure
// names file and line. checker_test.cpp shows that each check can fail.
#include <boost/test/unit_test.hpp>

#include <map>

#include "tests/unit/house/documents.h"
#include "tests/unit/house/layers.h"
#include "tests/unit/house/rules.h"
#include "tests/unit/house/source.h"
#include "tests/unit/house/tree.h"

namespace fastjournal::house {
namespace {

// What people read.
std::vector<std::string> const kDocuments{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "src",
                                          "doc",       "plugins",      "clients",         "tests"};

struct Checkout {
  Tree tree{FJ_SOURCE_DIR, FJ_BINARY_DIR};
  std::vector<Finding> findings;
  LayerTable table{"src/README.md", tree.read("src/README.md"), findings};

  [[nodiscard]] std::vector<Source> sources(std::vector<std::string> const& folders) const {
    std::vector<Source> read;
    for (std::string const& path : tree.files(folders, {".cpp", ".h"}))
      read.push_back(read_source(path, tree.read(path)));
    return read;
  }

  [[nodiscard]] Resolve resolve() const {
    return [this](std::string_view includer, std::string_view name) { return tree.resolve(includer, name); };
  }

  void report() const {
    for (Finding const& finding : findings) BOOST_ERROR(finding.file << ":" << finding.line << ": " << finding.what);
    BOOST_TEST(findings.empty());
  }
};

std::vector<std::string> const kProgram{"src", "plugins", "clients"};
std::vector<std::string> const kAllCode{"src", "plugins", "clients", "tests"};
// Of README.md: whatever takes longer to read has a page of its own.
constexpr std::size_t kReadmeBytesMax = 6144;
constexpr std::size_t kReadmeLinesMax = 120;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(house, Checkout)

BOOST_AUTO_TEST_CASE(every_include_is_one_that_the_layer_table_allows) {
  for (Source const& source : sources(kProgram)) check_includes(table, source, resolve(), findings);
  report();
}

BOOST_AUTO_TEST_CASE(headers_that_many_sources_read_name_no_heavy_header) {
  check_wide_headers(sources(kProgram), resolve(), findings);
  report();
}

BOOST_AUTO_TEST_CASE(every_layer_links_the_layers_of_its_row) {
  std::vector<Links> links;
  for (std::string const& path : tree.files({"CMakeLists.txt", "src", "plugins", "clients"}, {"CMakeLists.txt"}))
    for (Links const& one : read_links(path, tree.read(path))) links.push_back(one);
  check_links(table, links, findings);
  report();
}

BOOST_AUTO_TEST_CASE(the_core_calls_no_clock_thread_file_socket_chance_or_locale) {
  std::size_t seen = 0;
  for (Source const& source : sources({"src", "plugins"})) {
    Layer const* layer = table.of(source.path);
    if (layer == nullptr || !layer->core) continue;
    ++seen;
    check_core_calls(source, findings);
  }
  BOOST_TEST(seen > 20U);
  report();
}

BOOST_AUTO_TEST_CASE(the_core_walks_no_hash_segment_whose_order_can_be_seen) {
  std::map<std::string, std::set<std::string>> names;
  std::vector<Source> const all = sources({"src", "plugins"});
  for (Source const& source : all) names[source.path] = unordered_names(source);
  for (Source const& source : all) {
    Layer const* layer = table.of(source.path);
    if (layer == nullptr || !layer->core) continue;
    std::set<std::string> known = names[source.path];
    for (Include const& include : source.includes)
      if (auto const ours = tree.resolve(source.path, include.name))
        known.insert(names[*ours].begin(), names[*ours].end());
    check_unordered_loops(source, known, findings);
  }
  report();
}

BOOST_AUTO_TEST_CASE(no_test_sleeps) {
  for (Source const& source : sources({"tests"})) check_no_sleep(source, findings);
  report();
}

BOOST_AUTO_TEST_CASE(every_file_opens_with_a_comment_that_says_what_it_is) {
  for (Source const& source : sources(kAllCode)) check_opening(source, findings);
  report();
}

BOOST_AUTO_TEST_CASE(no_file_is_longer_than_a_reader_can_hold) {
  // What is made is read where it is made from.
  for (std::string const& path : tree.files(kAllCode, {".cpp", ".h"}))
    if (std::string const text = tree.read(path); !text.starts_with("// Made by ./mk generate"))
      check_length(path, text, findings);
  report();
}

BOOST_AUTO_TEST_CASE(nothing_is_left_to_be_done_later) {
  std::vector<std::string> places = kAllCode;
  for (char const* place :
       {"cmake", "conf", "doc", "scripts", "xml-schemas", ".ci", "mk", "CMakeLists.txt", "README.md", "SECURITY.md"})
    places.emplace_back(place);
  for (std::string const& path :
       tree.files(places, {".cpp", ".h", ".md", ".txt", ".cmake", ".xml", ".xsd", ".sh", ".awk", "mk", "run"}))
    check_no_marks(path, tree.read(path), findings);
  report();
}

BOOST_AUTO_TEST_CASE(every_source_is_built_and_every_test_is_run) {
  std::set<std::string> with_cases;
  std::vector<std::string> sources_built;
  for (std::string const& path : tree.files(kAllCode, {".cpp"})) {
    // The fuzzers are built by their own preset.
    if (path.starts_with("tests/fuzz/")) continue;
    sources_built.push_back(path);
    if (path.starts_with("tests/") && tree.read(path).find("_TEST_CASE(") != std::string::npos) with_cases.insert(path);
  }
  check_registered(sources_built, with_cases, tree.compiled(), tree.registered_tests(), findings);
  report();
}

BOOST_AUTO_TEST_CASE(every_suite_of_a_joined_program_is_run) {
  std::vector<Tree::Registered> const registered = tree.registered_tests();
  std::set<std::string> joined;
  for (Tree::Registered const& test : registered)
    if (!test.suite.empty()) joined.insert(test.program);
  BOOST_TEST(joined.contains("world"));
  for (Tree::Compiled const& one : tree.compiled())
    if (joined.contains(one.target))
      check_suites(read_source(one.path, tree.read(one.path)), one.target, registered, findings);
  report();
}

BOOST_AUTO_TEST_CASE(documents_link_to_what_is_there) {
  for (std::string const& path : tree.files(kDocuments, {".md"}))
    check_links(
        path, tree.read(path), [this](std::string const& target) { return tree.holds(target); }, findings);
  report();
}

BOOST_AUTO_TEST_CASE(what_is_cited_is_in_the_checkout) {
  std::vector<std::string> places = kAllCode;
  for (char const* place : {"cmake", "conf", "doc", "scripts", "xml-schemas", ".ci", "mk", "CMakeLists.txt",
                            "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"})
    places.emplace_back(place);
  std::set<int> const decisions = heading_numbers(tree.read("doc/internals/decisions.md"));
  for (std::string const& path :
       tree.files(places, {".cpp", ".h", ".md", ".txt", ".cmake", ".xml", ".xsd", ".sh", ".awk", "mk", "run"})) {
    // The checks themselves name what is wrong.
    if (path.starts_with("tests/unit/house/")) continue;
    check_citations(
        path, tree.read(path), [this](std::string const& target) { return tree.holds(target); }, decisions, findings);
  }
  report();
}

BOOST_AUTO_TEST_CASE(promises_name_tests_that_are_there) {
  std::set<std::string> tests;
  for (std::string const& path : tree.files({"tests"}, {".cpp"})) find_tests(tree.read(path), tests);
  for (std::string const& path : tree.files({"doc"}, {".md"}))
    check_named_tests(
        path, tree.read(path), tests, [this](std::string const& target) { return tree.holds(target); }, findings);
  report();
}

BOOST_AUTO_TEST_CASE(documents_name_sources_that_are_there) {
  std::vector<std::string> const sources = tree.files({"src", "plugins", "clients", "tests"}, {".cpp"});
  for (std::string const& path : tree.files(kDocuments, {".md"}))
    check_named_sources(path, tree.read(path), sources, findings);
  report();
}

BOOST_AUTO_TEST_CASE(lines_of_documents_end_where_they_are_read_well) {
  for (std::string const& path : tree.files(kDocuments, {".md"})) check_columns(path, tree.read(path), findings);
  report();
}

BOOST_AUTO_TEST_CASE(pictures_are_made_of_the_drawings_beside_them) {
  std::vector<std::string> const drawings = tree.files({"doc"}, {".dot"});
  BOOST_TEST(drawings.size() >= 3U);
  for (std::string const& path : drawings)
    check_picture(path, tree.read(path), tree.read(path.substr(0, path.size() - 3) + "svg"), findings);
  report();
}

BOOST_AUTO_TEST_CASE(the_first_page_is_read_in_minutes) {
  std::string const text = tree.read("README.md");
  BOOST_TEST(text.size() <= kReadmeBytesMax);
  BOOST_TEST(split_lines(text).size() <= kReadmeLinesMax);
}

BOOST_AUTO_TEST_CASE(the_table_in_the_reference_is_the_one_that_is_served) {
  std::string const page = "doc/table-reference.md";
  check_excerpt(page, tree.read(page), "xml", tree.read("conf/tables.d/pages.xml"), findings);
  report();
}

BOOST_AUTO_TEST_CASE(every_rule_has_a_transcript_and_every_transcript_a_rule) {
  std::string const page = "tests/transcripts/README.md";
  check_index(
      page, tree.read(page), tree.files({"tests/transcripts"}, {".txt"}),
      [this](std::string const& target) { return tree.holds(target); }, findings);
  report();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::house
