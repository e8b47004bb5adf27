// tests/golden/merge_rules.txt, the truth table of merges: each line is true, and there is a line for every type with
// every rule, for values that are present and absent. The table in doc/merge.md is the same.
#include <array>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include "model/row_codec.h"
#include "model/value.h"
#include "tests/unit/model/columns.h"

namespace fastjournal::model {

namespace {

constexpr std::array<std::string_view, 6> kRules{"replace", "keep", "min", "max", "sum", "append"};
constexpr std::size_t kTypes = static_cast<std::size_t>(ColumnType::time_us) + 1;

struct Line {
  std::string text;
  ColumnType type{};
  MergeRule rule{};
  std::vector<std::string> values;  // old, new, result; or "refused" alone
};

std::vector<std::string> split(std::string const& text) {
  std::vector<std::string> out{""};
  for (char const c : text) {
    if (c == '\t')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::vector<Line> read_table() {
  std::ifstream file{FJ_SOURCE_DIR "/tests/golden/merge_rules.txt"};
  std::vector<Line> out;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with('#')) continue;
    std::vector<std::string> parts = split(text);
    BOOST_REQUIRE_MESSAGE(parts.size() == 3 || parts.size() == 5, text);
    Line line;
    line.text = text;
    std::size_t type = 0;
    while (type < kTypes && name_of(static_cast<ColumnType>(type)) != parts[0]) ++type;
    auto const rule = std::find(kRules.begin(), kRules.end(), parts[1]);
    BOOST_REQUIRE_MESSAGE((type < kTypes && rule != kRules.end()), text);
    line.type = static_cast<ColumnType>(type);
    line.rule = static_cast<MergeRule>(rule - kRules.begin());
    line.values.assign(parts.begin() + 2, parts.end());
    out.push_back(std::move(line));
  }
  return out;
}

Schema with_v(Line const& line) {
  return schema({column("k", ColumnType::int32), column("v", line.type, line.rule)}, {0});
}

// "`5`" -> "5", as doc/merge.md writes values.
std::string unquoted(std::string const& cell) {
  if (cell == "empty") return "";
  return cell.starts_with('`') ? cell.substr(1, cell.size() - 2) : cell;
}

// The lines of the last table of doc/merge.md, in the form of merge_rules.txt.
std::set<std::string> shown_lines() {
  std::ifstream file{FJ_SOURCE_DIR "/doc/merge.md"};
  std::set<std::string> out;
  bool inside = false;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with("| type |")) inside = true;
    if (!inside || !text.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < text.size();) {
      std::size_t const end = text.find(" |", at);
      cells.push_back(text.substr(at, end - at));
      at = end + 3;
    }
    BOOST_REQUIRE_MESSAGE(cells.size() == 3 + kRules.size(), text);
    for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
      std::string const& cell = cells[3 + rule];
      std::string line = unquoted(cells[0]) + '\t' + std::string{kRules[rule]};
      if (cell == "no")
        line += "\trefused";
      else if (!cell.empty())
        line += '\t' + unquoted(cells[1]) + '\t' + unquoted(cells[2]) + '\t' + unquoted(cell);
      if (!cell.empty()) out.insert(line);
    }
  }
  return out;
}

// A row's data in which v has this value; with "-" it is absent.
std::string data_with(Schema const& of, std::string const& value) {
  std::string out;
  Status const status = encode_data(of, value == "-" ? message({}) : message({{"v", Value::of_text(value)}}), out);
  BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(merge_rules)

BOOST_AUTO_TEST_CASE(every_line_of_the_table_holds) {
  std::vector<Line> const lines = read_table();
  BOOST_REQUIRE(lines.size() > 300U);
  for (Line const& line : lines) {
    BOOST_TEST_CONTEXT(line.text) {
      Schema const of = with_v(line);
      bool const allowed = check_column(of.columns[1]).ok();
      BOOST_TEST(allowed == (line.values.size() == 3));
      if (!allowed || line.values.size() != 3) continue;
      std::string merged;
      std::string const before = data_with(of, line.values[0]);
      std::string const brought = data_with(of, line.values[1]);
      Status const status = merge_data(of, before, of, brought, merged);
      Pieces pieces;
      BOOST_TEST(merge_pieces(of, before, of, brought, pieces).ok() == status.ok());
      if (status.ok()) {
        std::string joined;
        for (std::string_view const piece : pieces.all()) joined += piece;
        BOOST_TEST((joined == merged));
        BOOST_TEST(pieces.size() == merged.size());
        BOOST_TEST(pieces.keeps_order());
        BOOST_TEST(pieces.is_old_data() == (merged == before));
      }
      BOOST_TEST(status.ok() == (line.values[2] != "refused"), status.text());
      if (status.ok() && line.values[2] != "refused") BOOST_TEST((merged == data_with(of, line.values[2])));
    }
  }
}

BOOST_AUTO_TEST_CASE(no_type_and_no_rule_is_missing) {
  std::map<std::pair<ColumnType, MergeRule>, std::set<std::pair<bool, bool>>> seen;
  for (Line const& line : read_table()) {
    auto& cases = seen[{line.type, line.rule}];
    if (line.values.size() == 3) cases.emplace(line.values[0] == "-", line.values[1] == "-");
  }
  BOOST_TEST(seen.size() == kTypes * kRules.size());
  for (auto const& [what, cases] : seen) BOOST_TEST((cases.empty() || cases.size() == 4U));
}

BOOST_AUTO_TEST_CASE(the_document_shows_this_table) {
  std::set<std::string> lines;
  for (Line const& line : read_table()) lines.insert(line.text);
  std::set<std::string> const shown = shown_lines();
  for (std::string const& line : lines) BOOST_TEST(shown.contains(line), "doc/merge.md does not show: " << line);
  for (std::string const& line : shown) BOOST_TEST(lines.contains(line), "doc/merge.md shows: " << line);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::model
