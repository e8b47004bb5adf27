// All tables of conf/tables.d/: every *.xml, sorted by name; other files are
// not looked at. What is wrong in any of them is told at once.
#pragma once

#include <filesystem>
#include <vector>

#include "config/table_reader.h"
#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// A start, and each reload, reads them all.
inline constexpr std::size_t kTableFilesMax = 20'000;

// bad_configuration: the problems of the first files that have some, one "FILE:LINE: what" a line. A folder without
// tables is fine.
[[nodiscard]] Result<std::vector<TableDeclaration>> read_tables_folder(std::filesystem::path const& folder,
                                                                       TypesByName const& types);

}  // namespace fastjournal::config
