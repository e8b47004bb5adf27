// Files that are on the disk, with their names, before something else says so.
#pragma once

#include <string>

#include "fastjournal/status.h"

namespace fastjournal::cli {

// io_error with the call, the path and the reason.
[[nodiscard]] Status sync_name(std::string const& path);
[[nodiscard]] Status sync_file_and_name(std::string const& path);

}  // namespace fastjournal::cli
