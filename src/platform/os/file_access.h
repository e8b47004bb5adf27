// Access to the files of a table by their path: the options in its file (`file-mode`, `file-group`, of types that
// declare these options) as numbers. Apart because names of groups are looked up. And by what a file is known to be the
// same.
#pragma once

#include <optional>
#include <string>

#include "base/env/disk.h"
#include "config/tables_folder.h"
#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::os {

// Nothing: the table says neither. bad_configuration: there is no such group.
[[nodiscard]] Result<std::optional<env::Access>> declared_access(TableDeclaration const& table);

// The same for the process that makes the files. bad_configuration: it is not in the group.
[[nodiscard]] Result<std::optional<env::Access>> file_access(TableDeclaration const& table);

// None: there is no such file, or it was changed within the last seconds: another change may leave its times as they are.
[[nodiscard]] std::optional<config::FileStamp> file_stamp(std::string const& path);

// Of the files that this process makes.
[[nodiscard]] env::Access usual_access();

}  // namespace fastjournal::os
