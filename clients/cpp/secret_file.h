// Files that only their owner may read: tokens, and the hashes of tokens.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::client {

// not_found; not_allowed with the remedy if others may read it; too_large above 64 KiB.
[[nodiscard]] Result<std::string> read_secret(std::string const& path);
// Replaces the file in one step, with mode 0600, durably. As root it belongs to the owner of the file before, or else of
// `whose` (a path), or of the folder: a daemon of another user must be able to read it.
[[nodiscard]] Status write_secret(std::string const& path, std::string_view text, std::string const& whose = {});

}  // namespace fastjournal::client
