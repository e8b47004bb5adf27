// NAME.xml: one table (its type, log, columns, options). The format is
// described in doc/table-reference.md and by xml-schemas/table.xsd.
#pragma once

#include <filesystem>
#include <span>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// `types`: those that are loaded. bad_configuration: every problem of the file, one "FILE:LINE: what" a line.
[[nodiscard]] Result<TableDeclaration> read_table(std::filesystem::path const& path, std::span<TypeDeclaration const> types);

}  // namespace fastjournal::config
