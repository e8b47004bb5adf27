// The state of a table as the tests of the databases write it: names that SQL must not take for its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/sql/mirror.h"

namespace fastjournal::sql::test {

inline constexpr std::array<ExportColumn, 4> kColumns{
    {{.name = "queue", .is_key = true},
     {.name = "temporary", .kind = ExportColumn::Kind::boolean},
     {.name = "max_messages", .kind = ExportColumn::Kind::integer, .may_be_absent = true},
     {.name = "dead_letters", .may_be_absent = true}}};
inline constexpr std::array<ExportColumn, 1> kKey{{{.name = "order", .is_key = true}}};  // a word of SQL

inline std::vector<std::string> const kHostileNames{
    "plain", "it's", "say \"so\"", "'; DROP TABLE queues; --", "a\\b", "$1", "?1", "%s", "ü漢\xF0\x9F\x90\x98", "",
};

// Queues of these names; those with even numbers are temporary, and have no limit.
inline TableExport content_of(std::vector<std::string> const& names) {
  ExportRelation queues{"queues", kColumns};
  for (std::size_t i = 0; i < names.size(); ++i) {
    queues.add_text(names[i]);
    queues.add_boolean(i % 2 == 0);
    if (i % 2 == 0)
      queues.add_absent();
    else
      queues.add_integer(INT64_MAX - static_cast<std::int64_t>(i));
    if (i % 3 == 0)
      queues.add_absent();
    else
      queues.add_text(names[i]);
  }
  TableExport out{.format = 1, .relations = {}};
  out.relations.push_back(std::move(queues));
  out.relations.emplace_back("order", kKey);
  out.relations.back().add_text("1");
  return out;
}

// As both databases show it: a row a line.
inline std::string lines_of(std::string_view table, std::vector<std::string> const& names) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < names.size(); ++i)
    lines.push_back(std::string{table} + "|" + names[i] + (i % 2 == 0 ? "|1|" : "|0|") +
                    (i % 2 == 0 ? "-" : std::to_string(INT64_MAX - static_cast<std::int64_t>(i))) + "|" +
                    (i % 3 == 0 ? "-" : names[i]) + "\n");
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (std::string const& line : lines) out += line;
  return out;
}

}  // namespace fastjournal::sql::test
