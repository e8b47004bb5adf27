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

// The loaded table types.
using TypesByName = std::map<std::string, std::shared_ptr<TypeDeclaration const>, std::less<>>;

// bad_configuration: every problem of the file, each as a line "FILE:LINE: what".
[[nodiscard]] Result<TableDeclaration> read_table(std::filesystem::path const& path, TypesByName const& types);

// A table known only by name and type, with all options at the type's defaults.
[[nodiscard]] TableDeclaration default_table(TypeDeclaration const& type, std::string name);

}  // namespace fastjournal::config
