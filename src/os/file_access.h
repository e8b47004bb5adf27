// Who may open the files of a table by their path: what its file says (`file-mode`, `file-group`, of types that declare
// these options) as numbers. Apart because names of groups are looked up.
#pragma once

#include <optional>

#include "env/disk.h"
#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::os {

// Nothing: the table says neither. bad_configuration: there is no such group.
[[nodiscard]] Result<std::optional<env::Access>> declared_access(TableDeclaration const& table);

// The same for the process that makes the files. bad_configuration: it is not in the group.
[[nodiscard]] Result<std::optional<env::Access>> file_access(TableDeclaration const& table);

// Of the files that this process makes.
[[nodiscard]] env::Access usual_access();

}  // namespace fastjournal::os
