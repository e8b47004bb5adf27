// A database in which tables are mirrored. What a mirror is stands in mirror.h; here is what the two kinds of databases
// do for it, each in its own words. Lives on the thread of one export.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fastjournal/export.h"
#include "fastjournal/status.h"
#include "platform/sql/patience.h"

namespace fastjournal::sql {

// The schema of a PostgreSQL database, if no other was declared.
inline constexpr std::string_view kDefaultCatalog = "fastjournal";
// The first column of each relation there: the table that the row is of.
inline constexpr std::string_view kTableColumn = "table_name";

class Database {
 public:
  // Uncommitted changes are undone.
  virtual ~Database() = default;

  // Opens it, and begins a transaction that excludes other exports.
  [[nodiscard]] virtual Status begin() = 0;
  // Makes the relation, if it is not there.
  [[nodiscard]] virtual Status make(ExportRelation const& relation) = 0;
  [[nodiscard]] virtual Status remove_rows(ExportRelation const& relation, std::string_view table) = 0;
  [[nodiscard]] virtual Status add_rows(ExportRelation const& relation, std::string_view table) = 0;
  [[nodiscard]] virtual Status commit() = 0;
};

// `connect`: as is_postgresql has it; a path is absolute. Nothing is opened yet.
[[nodiscard]] std::unique_ptr<Database> make_sqlite(std::string path, Patience const& patience);
[[nodiscard]] std::unique_ptr<Database> make_postgresql(std::string uri, std::string catalog, Patience const& patience);

}  // namespace fastjournal::sql
