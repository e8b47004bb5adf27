// A journal table alone (tests/support/table_harness.h), and declarations for it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/journal/journal.h"
#include "tests/support/table_harness.h"

namespace fastjournal::journal::test {

using fastjournal::test::Alerts;
using fastjournal::test::digest_of;
using fastjournal::test::DigestSum;
using fastjournal::test::MemoryLog;
using fastjournal::test::Reply;
using fastjournal::test::text_of;
using fastjournal::test::Texts;
using Columns = std::vector<Column>;

inline std::shared_ptr<TypeDeclaration const> journal_type() {
  static std::shared_ptr<TypeDeclaration const> const type =
      fastjournal::test::read_table_type(FJ_SOURCE_DIR "/plugins/journal/journal.xml");
  return type;
}

inline Column column(std::string name, ColumnType type = ColumnType::string, MergeRule merge = MergeRule::replace) {
  Column out;
  out.name = std::move(name);
  out.type = type;
  out.merge = merge;
  return out;
}

// A table with the key column `k`, the data column `v`, and the given options and columns.
inline std::shared_ptr<TableDeclaration const> declare(Texts const& options = {}, Columns more = {},
                                                       std::uint16_t version = 1) {
  auto out = std::make_shared<TableDeclaration>();
  out->name = "jobs";
  out->type = "journal";
  out->file = "jobs.xml";
  out->schema.version = version;
  out->schema.columns = {column("k"), column("v")};
  for (Column& extra : more) out->schema.columns.push_back(std::move(extra));
  out->schema.key = {0};
  out->options = fastjournal::test::options_of(*journal_type(), options);
  return out;
}

class Harness : public fastjournal::test::TableHarness<Journal> {
 public:
  explicit Harness(Texts const& options = {}, Columns more = {}) : Harness(declare(options, std::move(more))) {}
  explicit Harness(std::shared_ptr<TableDeclaration const> table_declaration, std::uint64_t hash_seed = 0)
      : TableHarness(journal_type(), std::move(table_declaration), hash_seed) {}

  void change(Texts const& options, Columns more = {}, std::uint16_t version = 1) {
    take(declare(options, std::move(more), version));
  }
};

}  // namespace fastjournal::journal::test
