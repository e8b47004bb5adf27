// The text of a users file with one user more or less: everything else in it stays, comments too. Apart from the reader,
// which the daemon uses; only `fastjournal user` changes the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "config/access/user.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// in_use: there is a user of this name. A file that does not exist is a new one; a bad one is refused.
[[nodiscard]] Result<std::string> users_with(std::filesystem::path const& path, access::User const& user);
// not_found: there is none of this name.
[[nodiscard]] Result<std::string> users_without(std::filesystem::path const& path, std::string_view name);

}  // namespace fastjournal::config
