#include "platform/sql/words.h"

#include <fmt/format.h>

#include "platform/sql/database.h"

namespace fastjournal::sql {

std::string quoted_identifier(std::string_view name) {
  std::string out{'"'};
  for (char const c : name) out.append(c == '"' ? 2 : 1, c);
  return out += '"';
}

std::string create_table(ExportRelation const& relation, std::string_view name, TypeNames types) {
  std::string const table = quoted_identifier(kTableColumn);
  std::string out = fmt::format("CREATE TABLE {} ({} {} NOT NULL", name, table, types[0]);
  std::string key = table;
  for (ExportColumn const& column : relation.columns()) {
    out += fmt::format(", {} {}{}", quoted_identifier(column.name), types[static_cast<std::size_t>(column.kind)],
                       column.may_be_absent ? "" : " NOT NULL");
    if (column.is_key) key += ", " + quoted_identifier(column.name);
  }
  return out + fmt::format(", PRIMARY KEY ({}))", key);
}

std::string insert_rows(ExportRelation const& relation, std::string_view name, std::size_t rows, char mark) {
  std::string out = fmt::format("INSERT INTO {} ({}", name, quoted_identifier(kTableColumn));
  for (ExportColumn const& column : relation.columns()) out += ", " + quoted_identifier(column.name);
  out += ") VALUES ";
  std::size_t number = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    out += row == 0 ? "(" : ", (";
    for (std::size_t column = 0; column <= relation.columns().size(); ++column)
      out += fmt::format("{}{}{}", column == 0 ? "" : ", ", mark, ++number);
    out += ')';
  }
  return out;
}

}  // namespace fastjournal::sql
