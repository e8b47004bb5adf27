// Buffer columns of a table. On the command line their values are plain bytes or `base64:...`; a msgpack message has
// bytes, a text message base64. So the command line must know these columns: it asks the daemon (TABLES), once and only
// if needed. The same rule is used by `put`, `put --from`, `--json` and the input of `work`, so that output can be put
// again.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "clients/cpp/client.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

// The prefix of base64 in the value of a buffer column.
inline constexpr std::string_view kBase64Prefix = "base64:";

class Buffers {
 public:
  // `connection` must outlive it.
  explicit Buffers(client::Connection& connection) : connection_(connection) {}

  // Converts the columns of `command` from their typed form to the form for a connection of this framing.
  // bad_parameter, or the failure to ask the daemon.
  [[nodiscard]] Status encode(Message& command);
  // Sends the command, encoded, and decodes the rows of its answer.
  [[nodiscard]] Result<client::Reply> ask(Message& command);
  // Converts buffers that arrived as text in an answer about `table` into bytes, as in msgpack.
  [[nodiscard]] Status decode(Message& answer, std::string_view table);

 private:
  [[nodiscard]] Status learn(std::string_view table);
  [[nodiscard]] bool are_text() const { return connection_.options().framing == client::Framing::text; }

  client::Connection& connection_;
  std::string table_;  // the table of `names_`; empty: not asked yet
  std::set<std::string, std::less<>> names_;
};

}  // namespace fastjournal::cli
