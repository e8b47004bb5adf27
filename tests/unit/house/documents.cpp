#include "tests/unit/house/documents.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>

namespace fastjournal::house {
namespace {

std::string unindented(std::string const& line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

// What stands in backquotes in this line, from a place on.
std::vector<std::string> quoted(std::string const& line, std::size_t from = 0) {
  std::vector<std::string> out;
  for (std::size_t at = line.find('`', from); at != std::string::npos; at = line.find('`', at)) {
    std::size_t const end = line.find('`', at + 1);
    if (end == std::string::npos) break;
    out.push_back(line.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return out;
}

// The word behind `macro` in this line; empty if it is not there.
std::string argument_of(std::string const& line, std::string_view macro) {
  std::size_t const at = line.find(macro);
  if (at == std::string::npos) return {};
  std::size_t const begin = at + macro.size();
  return line.substr(begin, line.find_first_of(",)", begin) - begin);
}

bool is_word(std::string_view text) {
  return !text.empty() && std::islower(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_'; });
}

constexpr std::array<std::string_view, 14> kDocumentNames{
    "README",   "CHANGELOG", "CHANGES", "CONTRIBUTING", "LICENSE",  "ARCHITECTURE", "DECISIONS",
    "DECISION", "DESIGN",    "NOTES",   "ROADMAP",      "SECURITY", "STYLE",        "SPECIFICATION"};
constexpr std::size_t kColumnsMax = 100;
constexpr std::string_view kDecisions = "doc/internals/decisions.md";

bool is_of_a_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view{"_./*-"}.find(c) != std::string_view::npos;
}

// The number in ", 12 ..."; 0 if there is none.
int number_behind(std::string_view text) {
  if (!text.starts_with(", ")) return 0;
  int number = 0;
  std::from_chars(text.data() + 2, text.data() + text.size(), number);
  return number;
}

// Characters, of UTF-8.
std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// No blank but in backquotes.
bool is_one_piece(std::string_view text) {
  bool code = false;
  for (char const c : text) {
    if (c == '`') code = !code;
    if (c == ' ' && !code) return false;
  }
  return true;
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

std::string unescaped(std::string text) {
  for (auto const& [name, character] : {std::pair{"&#45;", "-"}, std::pair{"&#39;", "'"}, std::pair{"&#160;", " "},
                                        std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&amp;", "&"}})
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      text.replace(at, std::string_view{name}.size(), character);
  return text;
}

}  // namespace

void check_columns(std::string_view path, std::string_view markdown, std::vector<Finding>& findings) {
  int number = 0;
  bool code = false;
  for (std::string const& line : split_lines(markdown)) {
    ++number;
    std::string const text = unindented(line);
    if (text.starts_with("```")) code = !code;
    if (code || columns_of(line) <= kColumnsMax || line.starts_with("    ") || text.starts_with('|') ||
        text.starts_with('#') || is_one_piece(text))
      continue;
    findings.push_back({std::string{path}, number, "is longer than " + std::to_string(kColumnsMax) + " columns"});
  }
}

void check_picture(std::string_view path, std::string_view drawing, std::string_view svg,
                   std::vector<Finding>& findings) {
  constexpr std::string_view kLabel = "label=\"";
  std::string const picture = unescaped(std::string{svg});
  std::size_t arrows = 0;
  int number = 0;
  for (std::string line : split_lines(drawing)) {
    ++number;
    if (line.starts_with("//")) continue;
    for (std::size_t at = line.find(kLabel); at != std::string::npos; at = line.find(kLabel, at + 1)) {
      std::size_t const begin = at + kLabel.size();
      std::size_t const end = line.find('"', begin);
      std::string rest = line.substr(begin, end - begin) + "\\n";
      line.erase(begin, end - begin);
      for (std::size_t cut = rest.find("\\n"); cut != std::string::npos; cut = rest.find("\\n")) {
        std::string const words = unindented(rest.substr(0, cut));
        if (picture.find(words) == std::string::npos)
          findings.push_back({std::string{path}, number, "the picture lacks '" + words + "': ./mk drawings"});
        rest.erase(0, cut + 2);
      }
    }
    arrows += count_of(line, " -> ") - count_of(line, "style=invis");
  }
  if (arrows != count_of(svg, "class=\"edge\""))
    findings.push_back({std::string{path}, 0, "the picture has other arrows: ./mk drawings"});
}

std::set<int> heading_numbers(std::string_view markdown) {
  std::set<int> numbers;
  for (std::string const& line : split_lines(markdown))
    if (line.starts_with("## "))
      if (int const number = number_behind(", " + line.substr(3)); number > 0) numbers.insert(number);
  return numbers;
}

void check_citations(std::string_view path, std::string_view text,
                     std::function<bool(std::string const&)> const& exists, std::set<int> const& decisions,
                     std::vector<Finding>& findings) {
  std::string const folder = folder_of(path);
  int number = 0;
  auto const find = [&](std::string const& cited) {
    findings.push_back({std::string{path}, number, "cites '" + cited + "', which is not in the checkout"});
  };
  for (std::string const& line : split_lines(text)) {
    ++number;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (!is_of_a_path(line[at])) continue;
      std::size_t const begin = at;
      while (at < line.size() && is_of_a_path(line[at])) ++at;
      std::string word = line.substr(begin, at - begin);
      while (word.ends_with('.') || word.ends_with('*')) word.pop_back();  // of the sentence, of bold text
      word.erase(0, word.find_first_not_of('*'));
      if (word.ends_with(".md") && word.size() > 3 && word.find('*') == std::string::npos) {
        std::string const target = word.substr(word.starts_with('/') ? 1 : 0);
        if (!exists(target) && (folder.empty() || !exists(folder + "/" + target))) find(word);
      } else if (std::find(kDocumentNames.begin(), kDocumentNames.end(), word) != kDocumentNames.end()) {
        if (!exists(word) && !exists(word + ".md")) find(word);
      }
      int const decision = word == kDecisions ? number_behind(line.substr(at)) : 0;
      if (decision > 0 && !decisions.contains(decision)) find(word + ", " + std::to_string(decision));
    }
  }
}

void find_tests(std::string_view source, std::set<std::string>& tests) {
  std::string suite;
  for (std::string const& line : split_lines(source)) {
    for (std::string_view const macro : {"_AUTO_TEST_SUITE(", "_FIXTURE_TEST_SUITE("})
      if (std::string const name = argument_of(line, macro); !name.empty()) suite = name;
    for (std::string_view const macro : {"_AUTO_TEST_CASE(", "_FIXTURE_TEST_CASE("})
      if (std::string const name = argument_of(line, macro); !name.empty()) tests.insert(suite + "/" + name);
  }
}

void check_named_tests(std::string_view path, std::string_view markdown, std::set<std::string> const& tests,
                       std::function<bool(std::string const&)> const& exists, std::vector<Finding>& findings) {
  int number = 0;
  for (std::string const& line : split_lines(markdown)) {
    ++number;
    for (std::string const& name : quoted(line)) {
      std::size_t const slash = name.find('/');
      if (slash == std::string::npos || !is_word(name.substr(0, slash)) || !is_word(name.substr(slash + 1))) continue;
      if (!tests.contains(name) && !exists(name))
        findings.push_back({std::string{path}, number, "names the test '" + name + "', which is not there"});
    }
  }
}

void check_named_sources(std::string_view path, std::string_view markdown, std::vector<std::string> const& sources,
                         std::vector<Finding>& findings) {
  int number = 0;
  for (std::string const& line : split_lines(markdown)) {
    ++number;
    for (std::string const& name : quoted(line)) {
      if (!name.ends_with(".cpp")) continue;
      if (std::ranges::none_of(sources,
                               [&](std::string const& source) { return ("/" + source).ends_with("/" + name); }))
        findings.push_back({std::string{path}, number, "names '" + name + "', which is not there"});
    }
  }
}

void check_index(std::string_view path, std::string_view markdown, std::vector<std::string> const& listed,
                 std::function<bool(std::string const&)> const& exists, std::vector<Finding>& findings) {
  std::string const folder = folder_of(path) + "/";
  std::set<std::string> named;
  int number = 0;
  bool in_table = false;  // behind the line of dashes
  for (std::string const& line : split_lines(markdown)) {
    ++number;
    if (line.starts_with("|---")) {
      in_table = true;
      continue;
    }
    in_table = in_table && line.starts_with("| ");
    if (!in_table) continue;
    std::vector<std::string> const files = quoted(line, line.rfind("| ", line.size() - 2));  // of the last column
    if (files.empty()) findings.push_back({std::string{path}, number, "a rule that no file shows"});
    for (std::string const& file : files) {
      if (!exists(folder + file) && !exists(file))
        findings.push_back({std::string{path}, number, "names '" + file + "', which is not there"});
      named.insert(folder + file);
    }
  }
  for (std::string const& file : listed)
    if (!named.contains(file)) findings.push_back({std::string{path}, 0, "does not name '" + file + "'"});
}

void check_links(std::string_view path, std::string_view markdown,
                 std::function<bool(std::string const&)> const& exists, std::vector<Finding>& findings) {
  std::string const folder = folder_of(path);
  int number = 0;
  bool code = false;  // a program's own brackets are no links
  for (std::string const& line : split_lines(markdown)) {
    ++number;
    if (line.starts_with("```")) code = !code;
    if (code) continue;
    for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 2)) {
      std::size_t const end = line.find_first_of(")#", at + 2);
      std::string const target = line.substr(at + 2, end == std::string::npos ? end : end - at - 2);
      if (target.empty() || target.find("://") != std::string::npos) continue;
      if (!exists(folder.empty() ? target : folder + "/" + target))
        findings.push_back({std::string{path}, number, "links to '" + target + "', which is not there"});
    }
  }
}

void check_excerpt(std::string_view path, std::string_view markdown, std::string_view language, std::string_view file,
                   std::vector<Finding>& findings) {
  std::vector<std::string> const lines = split_lines(markdown);
  std::vector<std::string> const real = split_lines(file);
  auto at = std::find(lines.begin(), lines.end(), "```" + std::string{language});
  if (at == lines.end()) {
    findings.push_back({std::string{path}, 0, "shows no block of " + std::string{language}});
    return;
  }
  auto next = real.begin();
  for (++at; at != lines.end() && *at != "```"; ++at) {
    next = std::find_if(next, real.end(), [&](std::string const& line) { return unindented(line) == unindented(*at); });
    if (next == real.end()) {
      findings.push_back(
          {std::string{path}, static_cast<int>(at - lines.begin()) + 1, "is not what the file itself says"});
      return;
    }
    ++next;
  }
}

}  // namespace fastjournal::house
