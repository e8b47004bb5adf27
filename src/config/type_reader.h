// TYPE.xml: the declaration of a table type (commands, options), next to its plugin. The format is described in
// doc/table-reference.md and by xml-schemas/table-type.xsd.
#pragma once

#include <filesystem>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// bad_configuration: every problem of the file, each as a line "FILE:LINE: what".
[[nodiscard]] Result<TypeDeclaration> read_type(std::filesystem::path const& path);

}  // namespace fastjournal::config
