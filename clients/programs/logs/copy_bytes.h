// Copies the files of bytes outside the logs, which a daemon holds for a backup (BACKUP_BYTES): what records name in them
// does not change meanwhile, and what is written behind is of no use to the copy. Blocks that were given back stay holes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/env/disk.h"
#include "clients/programs/logs/copy.h"
#include "clients/programs/logs/progress.h"

namespace fastjournal::tools {

// `to_folder` must not exist; the folder above it does. Durable when this returns ok: the bytes copied. A name that is
// none of such a file is damaged: it would lead elsewhere.
[[nodiscard]] Result<std::uint64_t> copy_bytes(env::Disk& from, std::string const& from_folder, env::Disk& to,
                                               std::string const& to_folder, std::vector<std::string> const& names,
                                               Pace const& pace, Progress const& progress = {});

}  // namespace fastjournal::tools
