// NAME.xml: one table (its type, log, columns, options). The format is
// described in doc/table-reference.md and by xml-schemas/table.xsd.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// The table types that are loaded.
using TypesByName = std::map<std::string, std::shared_ptr<TypeDeclaration const>, std::less<>>;

// bad_configuration: every problem of the file, one "FILE:LINE: what" a line.
[[nodiscard]] Result<TableDeclaration> read_table(std::filesystem::path const& path, TypesByName const& types);

// A table of which only its name and type are known, with every option as the type has it by default.
[[nodiscard]] TableDeclaration default_table(TypeDeclaration const& type, std::string name);

}  // namespace fastjournal::config
