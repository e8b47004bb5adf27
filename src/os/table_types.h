// All table types of a plugins folder, as the engine uses them: for the daemon, the tools for logs and followers.
#pragma once

#include <string>

#include "core/types.h"
#include "fastjournal/status.h"

namespace fastjournal::os {

// As load_type (os/plugin_loader.h) says of each; bad_configuration as well if there is none.
[[nodiscard]] Result<core::TableTypes> load_table_types(std::string const& folder);

}  // namespace fastjournal::os
