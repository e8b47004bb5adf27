// The reference's options and columns as the declaration of a table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/reference.h"
#include "tests/unit/journal/harness.h"

namespace fastjournal::reference {

// The columns besides the key `k`.
inline journal::test::Columns columns_of(std::vector<Column> const& columns) {
  static std::map<std::string, MergeRule> const kRules{{"replace", MergeRule::replace}, {"keep", MergeRule::keep},
                                                       {"min", MergeRule::min},         {"max", MergeRule::max},
                                                       {"sum", MergeRule::sum},         {"append", MergeRule::append}};
  journal::test::Columns out;
  for (Column const& column : columns)
    out.push_back(journal::test::column(column.name, column.number ? ColumnType::int64 : ColumnType::string,
                                        kRules.at(column.rule)));
  return out;
}

inline std::shared_ptr<TableDeclaration> declare(Options const& options, std::vector<Column> const& columns,
                                                 std::uint16_t version) {
  auto out = std::make_shared<TableDeclaration>(*journal::test::declare(options.texts(), {}, version));
  out->schema.columns.resize(1);
  if (!options.has_key) out->schema.key.clear();
  for (fastjournal::Column& column : columns_of(columns)) out->schema.columns.push_back(std::move(column));
  return out;
}

}  // namespace fastjournal::reference
