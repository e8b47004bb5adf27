#include "platform/sql/mirror.h"

#include <array>
#include <memory>
#include <string>

namespace fastjournal::sql {
namespace {

using ColumnKind = ExportColumn::Kind;

constexpr std::array<ExportColumn, 3> kColumns{{{.name = "type"},
                                                {.name = "format", .kind = ColumnKind::integer},
                                                {.name = "exported_at", .kind = ColumnKind::integer}}};

Status replace(Database& database, ExportRelation const& relation, std::string_view table) {
  if (Status status = database.make(relation); !status.ok()) return status;
  if (Status status = database.remove_rows(relation, table); !status.ok()) return status;
  return database.add_rows(relation, table);
}

}  // namespace

Status write_mirror(Database& database, Mirrored const& mirrored) {
  if (Status status = database.begin(); !status.ok()) return status;
  ExportRelation about{"exports", kColumns};
  about.add_text(mirrored.type);
  about.add_integer(mirrored.content.format);
  about.add_integer(mirrored.date.value);
  if (Status status = replace(database, about, mirrored.table); !status.ok()) return status;
  for (ExportRelation const& relation : mirrored.content.relations)
    if (Status status = replace(database, relation, mirrored.table); !status.ok()) return status;
  return database.commit();
}

Status export_to(std::string const& connect, std::string const& catalog, Mirrored const& mirrored, Stop const& stop) {
  Patience const patience{stop, kExportMsMax};
  std::unique_ptr<Database> const database =
      is_postgresql(connect)
          ? make_postgresql(connect, catalog.empty() ? std::string{kDefaultCatalog} : catalog, patience)
          : make_sqlite(connect, patience);
  return write_mirror(*database, mirrored);
}

}  // namespace fastjournal::sql
