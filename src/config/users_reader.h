// users.xml: who may do what, the hashes of their tokens, and their signing keys. The daemon's file names it (<access
// users="..."/>). The format is described in doc/table-reference.md and by xml-schemas/users.xsd.
#pragma once

#include <filesystem>

#include "config/access/user.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// bad_configuration: every problem of the file, each as a line "FILE:LINE: what"; also for a missing file, and for one
// that others than its owner may read or write.
[[nodiscard]] Result<access::Users> read_users(std::filesystem::path const& path);
// The same, whatever its mode: for copies and examples.
[[nodiscard]] Result<access::Users> read_users_of_any_mode(std::filesystem::path const& path);

}  // namespace fastjournal::config
