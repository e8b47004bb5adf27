// All table types of a plugins folder in the engine's form: for the daemon, the tools for logs and followers.
#pragma once

#include <string>

#include "engine/types.h"
#include "fastjournal/status.h"

namespace fastjournal::os {

// Errors as for load_type (platform/os/plugin_loader.h); bad_configuration also if the folder has no type.
[[nodiscard]] Result<engine::TableTypes> load_table_types(std::string const& folder);

}  // namespace fastjournal::os
