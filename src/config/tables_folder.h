// All tables of conf/tables.d/: every *.xml, sorted by name; other files are ignored. The problems of all files are
// reported at once.
#pragma once

#include <filesystem>
#include <vector>

#include "config/table_reader.h"
#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// All are read at a start and at each reload.
inline constexpr std::size_t kTableFilesMax = 20'000;

// bad_configuration: the problems of the first bad files, each as a line "FILE:LINE: what". A folder without tables is
// valid.
[[nodiscard]] Result<std::vector<TableFile>> read_tables_folder(std::filesystem::path const& folder,
                                                                TypesByName const& types,
                                                                DaemonDeclaration const* daemon);

}  // namespace fastjournal::config
