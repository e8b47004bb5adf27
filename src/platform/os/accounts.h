// Users and groups of this computer, by name. Apart because the lookup is I/O: the system's databases may be files, or a
// service that takes its time. So it is done where a configuration is put to use, not by the loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::os {

// The numbers of these users or groups; a name of digits is a number itself, and need not exist. bad_configuration,
// with the first free name.
[[nodiscard]] Result<std::vector<std::uint32_t>> user_ids(std::vector<std::string> const& names);
[[nodiscard]] Result<std::vector<std::uint32_t>> group_ids(std::vector<std::string> const& names);

}  // namespace fastjournal::os
