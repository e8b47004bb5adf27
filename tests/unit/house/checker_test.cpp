// Shows that every check of the house can fail: small wrong samples, each with
// the line where it must be found, and right ones beside them.
#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

#include "tests/unit/house/documents.h"
#include "tests/unit/house/layers.h"
#include "tests/unit/house/rules.h"
#include "tests/unit/house/source.h"
#include "tests/unit/house/tree.h"

namespace fastjournal::house {
namespace {

char const kTable[] =
    "text\n"
    "| layer | folder | of ours | third party | what |\n"
    "|---|---|---|---|---|\n"
    "| public | `src/include/fastjournal` | | | types |\n"
    "| base | `src/base` | public | `xxhash.h`, `fmt` | checks |\n"
    "| log | `src/log` | public, base | | boundary |\n"
    "| engine | `src/engine` | public, base, log | | decides |\n"
    "| files | `src/log/file` | base, log | | the file log |\n"
    "| os | `src/platform/os` | base, engine | `dlfcn.h`, POSIX | files |\n"
    "| plugins | `plugins/*` | public, base | `absl` | types |\n"
    "| library | `clients/cpp` | public | POSIX | library |\n"
    "| clients | `clients/*` | public, library | `CLI/CLI.hpp` | programs |\n";

struct Samples {
  std::vector<Finding> findings;
  LayerTable table{"README.md", kTable, findings};

  // "LINE" of each finding, joined by blanks.
  [[nodiscard]] std::string lines() const {
    std::string text;
    for (Finding const& finding : findings) text += (text.empty() ? "" : " ") + std::to_string(finding.line);
    return text;
  }

  std::string includes(std::string_view path, std::string_view text) {
    static std::set<std::string, std::less<>> const kOurs{"src/include/fastjournal/types.h",
                                                          "src/base/check.h",
                                                          "src/engine/engine.h",
                                                          "src/log/log.h",
                                                          "src/log/file/format.h",
                                                          "src/platform/os/files.h",
                                                          "plugins/journal/rows.h",
                                                          "plugins/queue/queue.h",
                                                          "clients/cpp/client.h",
                                                          "clients/programs/fastjournal/table.h",
                                                          "tests/helper.h"};
    auto const resolve = [](std::string_view, std::string_view name) -> std::optional<std::string> {
      for (std::string const folder : {"src/", "src/include/", ""})
        if (kOurs.contains(folder + std::string{name})) return folder + std::string{name};
      return std::nullopt;
    };
    findings.clear();
    check_includes(table, read_source(path, text), resolve, findings);
    return lines();
  }

  std::string core_calls(std::string_view text) {
    findings.clear();
    check_core_calls(read_source("src/engine/x.cpp", text), findings);
    return lines();
  }

  std::string unordered(std::string_view text) {
    findings.clear();
    Source const source = read_source("src/engine/x.cpp", text);
    check_unordered_loops(source, unordered_names(source), findings);
    return lines();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(house_checker, Samples)

BOOST_AUTO_TEST_CASE(comments_and_literals_are_not_code) {
  Source const source = read_source("a.cpp",
                                    "// time(0)\n"
                                    "/* rand()\n"
                                    "   rand() */ int a = 1'000;\n"
                                    "char const* b = \"open(\\\" fopen(\"; char c = '\\''; char d = '\"';\n"
                                    "auto e = R\"x(rand() )\" \n"
                                    ")x\"; // #include <mutex>\n"
                                    "  #  include <vector>\n"
                                    "int last;\n");
  std::string text;
  for (Token const& token : source.tokens) text += token.text + " ";
  BOOST_TEST(text ==
             "int a = 1'000 ; char const * b = \"\" ; char c = \"\" ; char d = \"\" ; auto e = \"\" ; int last ; ");
  BOOST_TEST(source.tokens.back().line == 8);
  BOOST_REQUIRE(source.includes.size() == 1U);
  BOOST_TEST(source.includes.front().name == "vector");
  BOOST_TEST(source.includes.front().line == 7);
}

BOOST_AUTO_TEST_CASE(the_layer_table_is_read_and_a_bad_row_is_found) {
  BOOST_TEST(findings.empty());
  BOOST_REQUIRE(table.layers().size() == 9U);
  BOOST_TEST(table.of("src/engine/engine.cpp")->core);
  BOOST_TEST(!table.of("src/platform/os/files.cpp")->core);
  BOOST_TEST(table.of("plugins/journal/rows.cpp")->core);
  BOOST_TEST(table.of("clients/cpp/client.cpp")->name == "library");
  BOOST_TEST(table.of("clients/programs/fastjournal/main.cpp")->name == "clients");
  LayerTable const bad{
      "README.md",
      "| layer | folder | of ours | third party | what |\n| a | `src/a` | x |\n| b | `src/b` | a | | b |\n", findings};
  BOOST_TEST(lines() == "2 3");
  findings.clear();
  LayerTable const none{"README.md", "no table\n", findings};
  BOOST_TEST(lines() == "0");
}

BOOST_AUTO_TEST_CASE(a_layer_includes_only_what_stands_above_it) {
  BOOST_TEST(includes("src/engine/x.cpp",
                      "#include \"engine/engine.h\"\n#include \"base/check.h\"\n#include <vector>\n") == "");
  BOOST_TEST(includes("src/engine/x.cpp", "#include \"base/check.h\"\n#include \"os/files.h\"\n") == "2");
  BOOST_TEST(includes("src/base/x.h", "#include \"engine/engine.h\"\n") == "1");
  BOOST_TEST(includes("src/platform/os/x.cpp", "#include \"tests/helper.h\"\n") == "1");
  // A folder inside of another is a layer of its own.
  BOOST_TEST(includes("src/log/file/x.cpp", "#include \"log/log.h\"\n#include \"log/file/format.h\"\n") == "");
  BOOST_TEST(includes("src/log/x.cpp", "#include \"log/log.h\"\n#include \"log/file/format.h\"\n") == "2");
}

BOOST_AUTO_TEST_CASE(a_layer_links_only_what_its_row_names) {
  std::string_view const right =
      "fj_layer(base src/base DEPS fj_public xxhash)\n"
      "fj_layer(log  src/log DEPS fj_public fj_base)\n"
      "  fj_layer(engine src/engine src/engine/inside DEPS fj_public fj_base  # target_link_libraries(x\n"
      "  fj_log)\n"
      "fj_layer(files src/log/file DEPS fj_base fj_log fmt::fmt)\n"
      "fj_layer(os src/platform/os DEPS fj_base fj_engine)\n"
      "fj_plugin(journal DEPS fj_public fj_base TEST_DEPS fj_log)\n";
  auto const checked = [&](std::string text) {
    findings.clear();
    check_links(table, read_links("CMakeLists.txt", text), findings);
    return lines();
  };
  BOOST_TEST(checked(std::string{right}) == "");
  auto const changed = [&](std::string_view from, std::string_view to) {
    std::string text{right};
    text.replace(text.find(from), from.size(), to);
    return checked(text);
  };
  BOOST_TEST(changed("fj_public xxhash", "fj_public fj_log") == "1");
  BOOST_TEST(changed("  fj_log)", "  fj_log fj_os)") == "3");
  BOOST_TEST(changed("TEST_DEPS", "") == "7");
  findings.clear();
  check_links(table,
              read_links("clients/programs/fastjournal/CMakeLists.txt",
                         std::string{right} + "target_link_libraries(fj_cli\n  PRIVATE fj_public fj_base)\n"),
              findings);
  BOOST_TEST(lines() == "8");
}

BOOST_AUTO_TEST_CASE(a_plugin_includes_its_own_folder_and_the_layers_named) {
  BOOST_TEST(includes("plugins/journal/x.cpp",
                      "#include \"plugins/journal/rows.h\"\n#include \"fastjournal/types.h\"\n") == "");
  BOOST_TEST(includes("plugins/journal/x.cpp", "\n#include \"plugins/queue/queue.h\"\n") == "2");
  BOOST_TEST(includes("plugins/journal/x.cpp", "\n\n#include \"engine/engine.h\"\n") == "3");
  BOOST_TEST(includes("clients/programs/fastjournal/x.cpp",
                      "#include \"clients/cpp/client.h\"\n#include <CLI/CLI.hpp>\n") == "");
  BOOST_TEST(includes("clients/cpp/x.cpp", "#include \"clients/programs/fastjournal/table.h\"\n") == "1");
}

BOOST_AUTO_TEST_CASE(third_party_headers_have_one_door) {
  BOOST_TEST(includes("src/base/x.cpp", "#include <xxhash.h>\n#include <fmt/format.h>\n") == "");
  BOOST_TEST(includes("src/engine/x.cpp", "#include <xxhash.h>\n#include <fmt/format.h>\n") == "1 2");
  BOOST_TEST(includes("src/platform/os/x.cpp", "#include <unistd.h>\n#include <sys/mman.h>\n#include <dlfcn.h>\n") ==
             "");
  BOOST_TEST(includes("clients/cpp/x.cpp", "#include <unistd.h>\n#include <dlfcn.h>\n") == "2");
  BOOST_TEST(includes("src/base/x.cpp", "#include <unistd.h>\n") == "1");
  BOOST_TEST(includes("src/platform/os/x.cpp", "#include \"no/such.h\"\n") == "1");
}

BOOST_AUTO_TEST_CASE(a_folder_without_a_row_is_found) {
  BOOST_TEST(includes("src/new/x.cpp", "#include <vector>\n") == "1");
  BOOST_TEST(includes("plugins/loose.cpp", "") == "1");
}

BOOST_AUTO_TEST_CASE(headers_of_the_world_are_banned_from_the_core) {
  BOOST_TEST(includes("src/engine/x.cpp", "#include <mutex>\n#include <vector>\n#include <random>\n") == "1 3");
  BOOST_TEST(includes("plugins/journal/x.cpp",
                      "#include <absl/container/btree_map.h>\n#include <absl/time/clock.h>\n") == "2");
  BOOST_TEST(includes("src/platform/os/x.cpp", "#include <mutex>\n") == "");
}

BOOST_AUTO_TEST_CASE(calls_of_the_world_are_banned_from_the_core) {
  for (char const* wrong :
       {"auto t = time(nullptr);", "return ::time(nullptr);", "auto t = std::time(nullptr);", "int r = rand() % 6;",
        "clock_gettime(CLOCK_REALTIME, &spec);", "auto t = std::chrono::steady_clock::now();",
        "using clock = std::chrono::system_clock;", "std::thread worker{run};", "std::mutex mutex_;",
        "std::random_device seed;", "int fd = ::open(path, 0);", "if (int fd = socket(1, 2, 3); fd < 0) return;",
        "std::FILE* f = fopen(path, \"r\");", "char const* home = getenv(\"HOME\");", "setlocale(LC_ALL, \"\");",
        "std::cout << 1;"})
    BOOST_TEST(core_calls(std::string{"int a;\n"} + wrong) == "2", wrong);
  for (char const* right : {"TimeMs time(Row const& row);", "auto t = row.time();", "auto t = row->time();",
                            "Result<File> open(std::string_view path);", "auto t = Clock::time(x);", "int time = 3;",
                            "model::random(x);", "int thread = 1;", "// std::mutex\nint a;"})
    BOOST_TEST(core_calls(right) == "", right);
}

BOOST_AUTO_TEST_CASE(walks_over_hash_segments_are_found_and_may_be_explained) {
  std::string const map = "std::unordered_map<Id, std::vector<int>> by_id_;\n";
  BOOST_TEST(unordered(map + "for (auto const& [id, row] : by_id_) use(row);\n") == "2");
  BOOST_TEST(unordered(map + "for (auto const& one : table.by_id_) use(one);\n") == "2");
  BOOST_TEST(unordered(map + "for (auto at = by_id_.begin(); at != by_id_.end(); ++at) use(at);\n") == "2");
  BOOST_TEST(unordered("absl::flat_hash_set<int> set;\nauto first = *set.begin();\n") == "2");
  BOOST_TEST(unordered(map + "// Any order: only counted.\nfor (auto const& one : by_id_) ++count;\n") == "");
  BOOST_TEST(unordered(map + "if (by_id_.find(id) == by_id_.end()) return;\nfor (int i : rows) use(i);\n") == "");
}

BOOST_AUTO_TEST_CASE(sleeps_are_found_in_tests) {
  check_no_sleep(
      read_source("tests/a.cpp", "int a;\nstd::this_thread::sleep_for(1s);\n::usleep(3);\n// sleep(1)\nint sleep;\n"),
      findings);
  BOOST_TEST(lines() == "2 3");
}

BOOST_AUTO_TEST_CASE(a_file_without_an_opening_comment_is_found) {
  check_opening(read_source("a.h", "#pragma once\n// late\n"), findings);
  check_opening(read_source("b.h", ""), findings);
  check_opening(read_source("c.h", "// What it is.\n#pragma once\n"), findings);
  check_opening(read_source("src/engine/d.cpp", "#include \"engine/d.h\"\n"), findings);
  BOOST_TEST(lines() == "1 1");
  check_opening(read_source("src/engine/e.cpp", "#include \"engine/d.h\"\n"), findings);
  BOOST_TEST(lines() == "1 1 1");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_too_long_is_found) {
  std::string text;
  for (int line = 0; line < kLinesMax; ++line) text += "int a;\n";
  check_length("a.cpp", text, findings);
  BOOST_TEST(findings.empty());
  check_length("a.cpp", text + "int b;\n", findings);
  BOOST_TEST(findings.size() == 1U);
}

BOOST_AUTO_TEST_CASE(marks_of_unfinished_work_are_found) {
  check_no_marks("a.cpp", std::string{"int a;\n// TO"} + "DO: later\n", findings);
  check_no_marks("a.md", std::string{"FIX"} + "ME\n", findings);
  BOOST_TEST(lines() == "2 1");
}

BOOST_AUTO_TEST_CASE(a_source_that_is_not_built_or_not_run_is_found) {
  std::vector<Tree::Compiled> const compiled = read_compile_commands(
      "[\n{\n  \"command\": \"c++ -o tests/CMakeFiles/unit_a.dir/unit/a/a.cpp.o -c /r/tests/unit/a/a.cpp\",\n"
      "  \"file\": \"/r/tests/unit/a/a.cpp\"\n},\n{\n"
      "  \"command\": \"c++ -include CMakeFiles/pch.dir/pch.hxx -o tests/CMakeFiles/unit_b.dir/unit/b/b.cpp.o -c b\",\n"
      "  \"file\": \"/r/tests/unit/b/b.cpp\"\n}\n]\n",
      "/r", [](std::string const&) { return std::string{}; });
  BOOST_REQUIRE(compiled.size() == 2U);
  BOOST_TEST(compiled[1].path == "tests/unit/b/b.cpp");
  BOOST_TEST(compiled[1].target == "unit_b");
  std::vector<Tree::Registered> const old_form = read_ctest_file("# x\nadd_test(unit_a \"/r/bin/unit_a\")\n");
  BOOST_TEST(read_ctest_file("if(x)\n  add_test(unit_b \"/r\")\nendif()\n").at(0).name == "unit_b");
  BOOST_TEST((old_form == read_ctest_file("add_test([=[unit_a]=] \"/r/bin/unit_a\")\n")));
  BOOST_TEST((old_form == std::vector<Tree::Registered>{{"unit_a", "unit_a", ""}}));
  std::vector<std::string> const sources{"tests/unit/a/a.cpp", "tests/unit/b/b.cpp", "tests/unit/c/c.cpp"};
  check_registered(sources, {sources[0], sources[1]}, compiled, old_form, findings);
  BOOST_REQUIRE(findings.size() == 2U);
  BOOST_TEST(findings[0].file == "tests/unit/b/b.cpp");
  BOOST_TEST(findings[1].file == "tests/unit/c/c.cpp");
}

BOOST_AUTO_TEST_CASE(a_suite_that_is_not_run_is_found) {
  std::vector<Tree::Registered> const registered = read_ctest_file(
      "add_test([=[calls]=] \"/r/bin/w\" \"--run_test=calls\")\n"
      "add_test([=[moves]=] \"/r/bin/w\" \"--run_test=moves/a\")\n");
  BOOST_REQUIRE((registered.at(0) == Tree::Registered{"calls", "w", "calls"}));
  std::string const begin =
      "BOOST_"
      "FIXTURE_TEST_SUITE(";
  std::string const end = "BOOST_AUTO_TEST_SUITE_END()\n";
  std::string const one_case =
      "BOOST_"
      "AUTO_TEST_CASE(a) {}\n";
  auto const found_in = [&](std::string_view path, std::string const& text) {
    findings.clear();
    check_suites(read_source(path, text), "w", registered, findings);
    return findings.size();
  };
  std::string const calls = begin + "calls, World)\n" + one_case + end;
  BOOST_TEST(found_in("tests/calls_test.cpp", calls) == 0U);
  BOOST_TEST(found_in("tests/calls.cpp", "int main() {}\n") == 0U);
  BOOST_TEST(found_in("tests/calls_test.cpp", begin + "calls)\n" + calls + end) == 0U);
  BOOST_TEST(found_in("tests/recalls_test.cpp", calls) == 1U);
  BOOST_TEST(found_in("tests/calls_test.cpp", calls + begin + "moves)\n" + one_case + end) == 1U);
  BOOST_TEST(found_in("tests/calls_test.cpp", calls + one_case) == 1U);
  BOOST_TEST(lines() == "4");
  // Not all of it; nothing of it.
  BOOST_TEST(found_in("tests/moves_test.cpp", begin + "moves)\n" + end) == 1U);
  BOOST_TEST(found_in("tests/users_test.cpp", begin + "users)\n" + end) == 1U);
}

BOOST_AUTO_TEST_CASE(sources_of_a_joined_unit_are_built) {
  std::vector<Tree::Compiled> const compiled = read_compile_commands(
      "  \"command\": \"c++ -o tests/CMakeFiles/unit_a.dir/Unity/unity_0_cxx.cxx.o -c\",\n"
      "  \"file\": \"/r/build/x/Unity/unity_0_cxx.cxx\"\n",
      "/r", [](std::string const& unit) {
        BOOST_TEST(unit == "/r/build/x/Unity/unity_0_cxx.cxx");
        return std::string{"#include \"/r/tests/a.cpp\"\n\n#include \"/r/tests/b.cpp\"\n"};
      });
  BOOST_REQUIRE(compiled.size() == 2U);
  BOOST_TEST(compiled[0].path == "tests/a.cpp");
  BOOST_TEST(compiled[1].path == "tests/b.cpp");
  BOOST_TEST(compiled[1].target == "unit_a");
}

BOOST_AUTO_TEST_CASE(links_to_nothing_are_found) {
  auto const exists = [](std::string const& target) { return target == "doc/a.md"; };
  check_links("README.md", "[a](doc/a.md) [b](doc/a.md#part)\n[c](doc/b.md), [d](https://example.com/x)\n[e](#part)\n",
              exists, findings);
  check_links("doc/c.md", "[a](a.md)\n[b](doc/a.md)\n", exists, findings);
  BOOST_TEST(lines() == "2 2");
}

BOOST_AUTO_TEST_CASE(citations_of_documents_that_are_not_there_are_found) {
  std::set<std::string> const files{"README.md", "LICENSE", "doc/a.md", "src/b.md", "doc/internals/decisions.md"};
  auto const exists = [&](std::string const& target) { return files.contains(target); };
  std::set<int> const decisions = heading_numbers("# Title\n## 1. One\n## No number\n### 7. Too deep\n## 12. Twelve\n");
  BOOST_TEST((decisions == std::set<int>{1, 12}));
  check_citations("src/c.h",
                  "// As README says (doc/a.md); b.md. \"/doc/a.md\", *.md and x.mdx are none; LICENSE.\n"
                  "// As doc/internals/decisions.md, 12 says; the README_TABLE, DESIGNED, STYLE_3.\n",
                  exists, decisions, findings);
  BOOST_TEST(lines() == "");
  check_citations("src/c.h",
                  "// (DECISIONS 16)\nint a;  // wire.md, \"UDP\"\n// ARCHITECTURE.md\n// ok (doc/b.md's).\n"
                  "// doc/internals/decisions.md, 3\n// **a.md**.\n",
                  exists, decisions, findings);
  BOOST_TEST(lines() == "1 2 3 4 5 6");
}

BOOST_AUTO_TEST_CASE(lines_that_are_too_long_are_found) {
  std::string const words = "some " + std::string(92, 'x');
  std::string const one = std::string(101, 'x');
  check_columns("a.md",
                words + " 3\n" + words + " µ4\n| " + one + " |\n# " + one + "\n" + one + "\n  `" + words + " " + words +
                    "`\n\n    " + words + " code\n```\n" + words + " code\n```\n" + words + " long\n",
                findings);
  BOOST_TEST(lines() == "12");
}

BOOST_AUTO_TEST_CASE(a_picture_that_is_not_made_of_its_drawing_is_found) {
  std::string const drawing =
      "// a -> b, label=\"none\"\na [label=\"one\\nx -> y\"];\na -> b -> c; b -> d [style=invis];\n";
  std::string const svg = "<text>one</text><text>x &#45;&gt; y</text><g class=\"edge\"><g class=\"edge\">";
  check_picture("a.dot", drawing, svg, findings);
  BOOST_TEST(findings.empty());
  check_picture("a.dot", drawing, svg.substr(svg.find("<g")), findings);
  check_picture("a.dot", drawing, svg + "<g class=\"edge\">", findings);
  BOOST_TEST(lines() == "2 2 0");
}

BOOST_AUTO_TEST_CASE(a_heavy_header_in_one_that_many_sources_read_is_found) {
  std::vector<Source> sources{read_source("a.h", "#include <string>\n#include <regex>\n"),
                              read_source("b.h", "#include <cstdint>\n\n#include \"a.h\"\n"),
                              read_source("rare.h", "#include <regex>\n"),
                              read_source("rare.cpp", "#include \"rare.h\"\n")};
  for (int i = 0; i < 9; ++i)
    sources.push_back(read_source(std::to_string(i) + ".cpp", i < 2 ? "#include \"b.h\"\n" : "#include <regex>\n"));
  auto const resolve = [](std::string_view, std::string_view name) {
    return name.ends_with(".h") ? std::optional<std::string>{name} : std::nullopt;
  };
  check_wide_headers(sources, resolve, findings);
  BOOST_TEST(lines() == "2");
  sources.push_back(read_source("last.cpp", ""));
  findings.clear();
  check_wide_headers(sources, resolve, findings);
  BOOST_TEST(findings.empty());
}

BOOST_AUTO_TEST_CASE(an_example_that_is_not_the_file_is_found) {
  check_excerpt("README.md", "text\n```xml\n<a>\n  <c/>\n</a>\n```\n", "xml", "<!-- more -->\n<a>\n<b/>\n<c/>\n</a>\n",
                findings);
  BOOST_TEST(findings.empty());
  check_excerpt("README.md", "text\n```xml\n<a>\n  <d/>\n</a>\n```\n", "xml", "<a>\n<b/>\n<c/>\n</a>\n", findings);
  BOOST_TEST(lines() == "4");
  check_excerpt("README.md", "no block\n", "xml", "<a/>\n", findings);
  BOOST_TEST(lines() == "4 0");
}

BOOST_AUTO_TEST_CASE(a_promise_by_a_test_that_is_not_there_is_found) {
  std::set<std::string> tests;
  find_tests(
      "BOOST_"
      "AUTO_TEST_SUITE(log)\nBOOST_"
      "AUTO_TEST_CASE(a_b)\nBOOST_"
      "FIXTURE_TEST_CASE(c_d, World) {\n",
      tests);
  BOOST_TEST((tests == std::set<std::string>{"log/a_b", "log/c_d"}));
  auto const exists = [](std::string const& target) { return target == "tests/crash"; };
  check_named_tests("doc/a.md", "| x | `log/a_b`, `log/c_d` |\n`tests/crash` `a/B` `x.y/z`\n`log/e`\n", tests, exists,
                    findings);
  BOOST_TEST(lines() == "3");
}

BOOST_AUTO_TEST_CASE(a_source_that_is_named_and_not_there_is_found) {
  check_named_sources("src/a.md", "`log/a.cpp`, `a.cpp`\n`og/a.cpp`\n| `b.cpp` | a.cpp |\n", {"src/log/a.cpp"},
                      findings);
  BOOST_TEST(lines() == "2 3");
}

BOOST_AUTO_TEST_CASE(an_index_that_is_not_whole_is_found) {
  auto const exists = [](std::string const& target) { return target == "t/a.txt" || target == "src/b.cpp"; };
  std::string const head = "| rule | shown by |\n|---|---|\n";
  check_index("t/README.md", head + "| `x` and more | `a.txt`, `src/b.cpp` |\n\n| no table |\n", {"t/a.txt"}, exists,
              findings);
  BOOST_TEST(findings.empty());
  check_index("t/README.md", head + "| `x` | nothing |\n| y | `c.txt` |\n", {"t/a.txt"}, exists, findings);
  BOOST_TEST(lines() == "3 4 0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::house
