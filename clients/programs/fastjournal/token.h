// The token that commands show to the daemon, and `login`, which keeps one. A token is never an argument of a command:
// everybody on this computer can read those.
#pragma once

#include <string>

#include "clients/programs/fastjournal/call.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

// What the environment says; empty: nothing.
struct TokenSources {
  std::string token;    // FASTJOURNAL_TOKEN
  std::string kept_in;  // the file of `login`

  [[nodiscard]] static TokenSources of_environment();
};

// The token for this server: that of --token-file or FASTJOURNAL_TOKEN_FILE, else FASTJOURNAL_TOKEN, else what `login`
// has kept for this server. Empty: none. Not ok: a file cannot be read, others than its owner may read it, or it has no
// token.
[[nodiscard]] Result<std::string> find_token(Globals const& all, TokenSources const& sources);

}  // namespace fastjournal::cli
