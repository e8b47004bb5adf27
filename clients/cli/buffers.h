// Which columns of a table are buffers. On the command line their values are plain bytes, or `base64:...`; a msgpack
// message carries bytes, a text message base64. So somebody must know which columns these are: the daemon, which is
// asked (TABLES) once, and only where it matters. The same rule holds for `put`, `put --lines`, `--json` and the input
// of `work`, so that output can be put again.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "clients/lib/client.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

// What a value for a buffer column begins with if base64 stands behind it.
inline constexpr std::string_view kBase64Prefix = "base64:";

class Buffers {
 public:
  // `connection` outlives it.
  explicit Buffers(client::Connection& connection) : connection_(connection) {}

  // Turns the columns of `command`, as they were typed, into what the daemon takes from a connection of this framing.
  // bad_parameter, or why the daemon could not be asked.
  [[nodiscard]] Status encode(Message& command);
  // Turns the buffers of an answer about `table` that came as text into bytes, as msgpack brings them.
  [[nodiscard]] Status decode(Message& answer, std::string_view table);

 private:
  [[nodiscard]] Status learn(std::string_view table);
  [[nodiscard]] bool are_text() const { return connection_.options().framing == client::Framing::text; }

  client::Connection& connection_;
  std::string table_;  // that `names_` are of; empty: none was asked yet
  std::set<std::string, std::less<>> names_;
};

}  // namespace fastjournal::cli
