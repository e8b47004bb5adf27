// The state of a table, written to an SQL database in place of the former one, in one transaction: who reads sees the
// old one or the new one, whole.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/export.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "platform/sql/database.h"

namespace fastjournal::sql {

// One export, all in all: beyond it the database is taken for one that is away.
inline constexpr std::int64_t kExportMsMax = 60'000;

struct Mirrored {
  std::string_view table;
  std::string_view type;
  TimeMs date;  // of the content
  TableExport const& content;
};

// With the relation `exports`, which says what is there, of which format, and from when.
[[nodiscard]] Status write_mirror(Database& database, Mirrored const& mirrored);

// On the thread of an export. `connect`: a URI, or an absolute path; `catalog` may be empty.
[[nodiscard]] Status export_to(std::string const& connect, std::string const& catalog, Mirrored const& mirrored,
                               Stop const& stop);

}  // namespace fastjournal::sql
