// The checkout and its build folder as the checks need them: the files, the target
// of an #include, the compiled sources and the tests of ctest.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/house/source.h"

namespace fastjournal::house {

class Tree {
 public:
  Tree(std::filesystem::path root, std::filesystem::path build);

  // Files below the folders (or the files themselves), from the root, sorted;
  // with one of the endings, or all. Folders that are not there hold nothing.
  [[nodiscard]] std::vector<std::string> files(std::vector<std::string> const& folders,
                                               std::vector<std::string> const& endings) const;
  [[nodiscard]] std::string read(std::string_view path) const;
  [[nodiscard]] bool holds(std::string_view path) const;
  // As the compiler would: beside the includer, then from src/, src/include/ and the root.
  [[nodiscard]] std::optional<std::string> resolve(std::string_view includer, std::string_view name) const;

  // Every source that is compiled, with the programs and libraries it is compiled for.
  struct Compiled {
    std::string path;
    std::string target;
  };
  [[nodiscard]] std::vector<Compiled> compiled() const;
  // What ctest runs: a program, or one suite of it.
  struct Registered {
    std::string name;
    std::string program;
    std::string suite;  // empty: all
    bool operator==(Registered const&) const = default;
  };
  [[nodiscard]] std::vector<Registered> registered_tests() const;

 private:
  std::filesystem::path root_;
  std::filesystem::path build_;
};

// Every source is compiled, and every one that holds test cases belongs to a program that ctest runs.
void check_registered(std::vector<std::string> const& sources, std::set<std::string> const& with_cases,
                      std::vector<Tree::Compiled> const& compiled, std::vector<Tree::Registered> const& registered,
                      std::vector<Finding>& findings);

// Of a program whose suites are tests of their own (fj_suites): the cases of a source stand in one suite at the top, X in
// X_test.cpp, and ctest runs it under this name. Else a suite could be compiled and never run.
void check_suites(Source const& source, std::string_view program, std::vector<Tree::Registered> const& registered,
                  std::vector<Finding>& findings);

// Read from compile_commands.json and from CTestTestfile.cmake.
// `read` gives the text of a joined unit, which includes its sources (FJ_JOINED).
[[nodiscard]] std::vector<Tree::Compiled> read_compile_commands(
    std::string_view text, std::string_view root, std::function<std::string(std::string const&)> const& read);
[[nodiscard]] std::vector<Tree::Registered> read_ctest_file(std::string_view text);

}  // namespace fastjournal::house
