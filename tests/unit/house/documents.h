// The promises of documents about the checkout: linked files are there, a shown
// example is the file that it is said to be, a list of files is complete, and a picture is made of its drawing. Lines
// have a width that is read well.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/house/source.h"

namespace fastjournal::house {

// Markdown links to files (not to the web or to headings).
void check_links(std::string_view path, std::string_view markdown,
                 std::function<bool(std::string const&)> const& exists, std::vector<Finding>& findings);

// The lines of the first block fenced as ```LANGUAGE stand in `file` too, in this
// order; `file` may hold more.
void check_excerpt(std::string_view path, std::string_view markdown, std::string_view language, std::string_view file,
                   std::vector<Finding>& findings);

// A page of tables that lists the `listed` files of its own folder: each stands in it, and every line of a table names,
// in backquotes, one of them or another file of the checkout; what it names is there.
void check_index(std::string_view path, std::string_view markdown, std::vector<std::string> const& listed,
                 std::function<bool(std::string const&)> const& exists, std::vector<Finding>& findings);

// "suite/case" of every test case in a source of Boost.Test.
void find_tests(std::string_view source, std::set<std::string>& tests);

// What stands in backquotes and looks like suite/case is one of `tests`.
void check_named_tests(std::string_view path, std::string_view markdown, std::set<std::string> const& tests,
                       std::function<bool(std::string const&)> const& exists, std::vector<Finding>& findings);

// A source in backquotes (NAME.cpp) is one of `sources`, or the end of the path of one.
void check_named_sources(std::string_view path, std::string_view markdown, std::vector<std::string> const& sources,
                         std::vector<Finding>& findings);

// The numbers of the headings "## 3. What was decided".
[[nodiscard]] std::set<int> heading_numbers(std::string_view markdown);

// Documents that a text cites are in the checkout: every FILE.md, by its path from the root or from the text's folder,
// and every word in capitals by which such documents are called (README, CHANGELOG, ...). What is cited as
// "doc/internals/decisions.md, 3" is one of the `decisions`.
void check_citations(std::string_view path, std::string_view text,
                     std::function<bool(std::string const&)> const& exists, std::set<int> const& decisions,
                     std::vector<Finding>& findings);

// Lines end at 100 columns. Tables, headings, code, and lines of one piece, such as a long link, may be longer.
void check_columns(std::string_view path, std::string_view markdown, std::vector<Finding>& findings);

// A picture that `dot` made: it has all the words and as many arrows as the drawing.
void check_picture(std::string_view path, std::string_view drawing, std::string_view svg,
                   std::vector<Finding>& findings);

}  // namespace fastjournal::house
