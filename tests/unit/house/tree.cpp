#include "tests/unit/house/tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

namespace fastjournal::house {
namespace fs = std::filesystem;
namespace {

std::string read_file(fs::path const& path) {
  std::ifstream in{path, std::ios::binary};
  return std::string{std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

// What stands between `before` and `after` in a line; empty when it does not.
std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  std::size_t const first = line.find(before);
  if (first == std::string_view::npos) return {};
  line.remove_prefix(first + before.size());
  std::size_t const last = line.find(after);
  return last == std::string_view::npos ? std::string_view{} : line.substr(0, last);
}

bool ends_with_any(std::string const& path, std::vector<std::string> const& endings) {
  return endings.empty() ||
         std::any_of(endings.begin(), endings.end(), [&](std::string const& ending) { return path.ends_with(ending); });
}

}  // namespace

Tree::Tree(fs::path root, fs::path build) : root_(std::move(root)), build_(std::move(build)) {}

std::vector<std::string> Tree::files(std::vector<std::string> const& folders,
                                     std::vector<std::string> const& endings) const {
  std::vector<std::string> found;
  for (std::string const& folder : folders) {
    if (fs::is_regular_file(root_ / folder)) found.push_back(folder);
    if (!fs::is_directory(root_ / folder)) continue;
    for (fs::directory_entry const& entry : fs::recursive_directory_iterator{root_ / folder}) {
      std::string path = entry.path().lexically_relative(root_).generic_string();
      if (entry.is_regular_file() && ends_with_any(path, endings)) found.push_back(std::move(path));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string Tree::read(std::string_view path) const { return read_file(root_ / path); }

bool Tree::holds(std::string_view path) const { return fs::exists(root_ / path); }

std::optional<std::string> Tree::resolve(std::string_view includer, std::string_view name) const {
  for (std::string const& folder :
       {folder_of(includer), std::string{"src"}, std::string{"src/include"}, std::string{}}) {
    fs::path const path = (fs::path{folder} / name).lexically_normal();
    if (fs::is_regular_file(root_ / path)) return path.generic_string();
  }
  return std::nullopt;
}

std::vector<Tree::Compiled> Tree::compiled() const {
  return read_compile_commands(read_file(build_ / "compile_commands.json"), root_.string(),
                               [](std::string const& unit) { return read_file(unit); });
}

std::vector<Tree::Registered> Tree::registered_tests() const {
  std::vector<Registered> tests;
  // Only the folders that CMake makes for ours: a build folder may hold much else.
  for (std::string const top : {"tests", "clients", "plugins", "src"}) {
    if (!fs::is_directory(build_ / top)) continue;
    for (fs::directory_entry const& entry : fs::recursive_directory_iterator{build_ / top})
      if (entry.path().filename() == "CTestTestfile.cmake")
        for (Registered& test : read_ctest_file(read_file(entry.path()))) tests.push_back(std::move(test));
  }
  return tests;
}

std::vector<Tree::Compiled> read_compile_commands(std::string_view text, std::string_view root,
                                                  std::function<std::string(std::string const&)> const& read) {
  std::vector<Tree::Compiled> compiled;
  std::string target;
  std::string const prefix = std::string{root} + "/";
  auto const add = [&](std::string_view file) {
    if (file.starts_with(prefix)) compiled.push_back({std::string{file.substr(prefix.size())}, target});
  };
  for (std::string const& line : split_lines(text)) {
    // "command": "... -o tests/CMakeFiles/unit_engine.dir/unit/engine/engine_test.cpp.o -c ..."; a precompiled header
    // that the command names before is of another target.
    if (std::size_t const output = line.find(" -o "); output != std::string::npos)
      target = between(std::string_view{line}.substr(output), "CMakeFiles/", ".dir/");
    std::string const file{between(line, "\"file\": \"", "\"")};
    if (file.find("/Unity/unity_") == std::string::npos) {
      add(file);
    } else {
      for (std::string const& joined : split_lines(read(file))) add(between(joined, "#include \"", "\""));
    }
  }
  return compiled;
}

std::vector<Tree::Registered> read_ctest_file(std::string_view text) {
  std::vector<Tree::Registered> tests;
  for (std::string const& line : split_lines(text)) {
    // With blanks before it: one that only a configuration runs.
    std::string_view name = line;
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    if (!name.starts_with("add_test(")) continue;
    name.remove_prefix(9);
    // Newer CMake writes add_test([=[name]=] "command" "word").
    if (name.starts_with("[=[")) name = between(name, "[=[", "]=]");
    fs::path const program{between(line, " \"", "\"")};
    tests.push_back({std::string{name.substr(0, name.find(' '))}, program.filename().string(),
                     std::string{between(line, "\"--run_test=", "\"")}});
  }
  return tests;
}

void check_registered(std::vector<std::string> const& sources, std::set<std::string> const& with_cases,
                      std::vector<Tree::Compiled> const& compiled, std::vector<Tree::Registered> const& registered,
                      std::vector<Finding>& findings) {
  std::set<std::string> programs;
  for (Tree::Registered const& test : registered) programs.insert(test.program);
  std::multimap<std::string, std::string> targets;
  for (Tree::Compiled const& one : compiled) targets.emplace(one.path, one.target);
  for (std::string const& source : sources) {
    auto const [first, last] = targets.equal_range(source);
    if (first == last) {
      findings.push_back({source, 0, "no program or library is built from this file"});
      continue;
    }
    if (with_cases.contains(source) &&
        std::none_of(first, last, [&](auto const& one) { return programs.contains(one.second); }))
      findings.push_back({source, 0, "its program " + first->second + " is not run by ctest: add it with fj_test()"});
  }
}

void check_suites(Source const& source, std::string_view program, std::vector<Tree::Registered> const& registered,
                  std::vector<Finding>& findings) {
  auto const find = [&](int line, std::string what) { findings.push_back({source.path, line, std::move(what)}); };
  std::vector<std::string> suites;
  int depth = 0;
  for (std::size_t at = 0; at + 2 < source.tokens.size(); ++at) {
    auto const& [word, line] = source.tokens[at];
    if (!word.starts_with("BOOST_")) continue;
    if (word == "BOOST_AUTO_TEST_SUITE_END") {
      --depth;
    } else if (word.ends_with("_TEST_SUITE")) {
      if (depth++ == 0) suites.push_back(source.tokens[at + 2].text);
    } else if (word.find("_TEST_CASE") != std::string::npos && depth == 0) {
      find(line, "a case outside of a suite is never run");
    }
  }
  if (suites.empty()) return;
  if (suites.size() > 1) find(0, "holds several suites: ctest runs one");
  std::string const& suite = suites.front();
  if (!source.path.ends_with("/" + suite + "_test.cpp")) find(0, "its suite is '" + suite + "', not the file's name");
  if (std::none_of(registered.begin(), registered.end(), [&](Tree::Registered const& test) {
        return test.name == suite && test.program == program && (test.suite.empty() || test.suite == suite);
      }))
    find(0, "its suite '" + suite + "' is no test of ctest: add it with fj_suites()");
}

}  // namespace fastjournal::house
