// Names chosen by a client that its answers repeat: checked once, when a message is received, in whatever form (text,
// JSON, msgpack, an alias, over a communicatord). A name that an answer cannot carry is refused first, or a command
// would be executed and never answered; a long one would be repeated in each of a thousand messages. The rule of text
// holds for msgpack too: a wait that began with a frame may be answered in a line.
#pragma once

#include <cstddef>
#include <string_view>

#include "fastjournal/limits.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::protocol {

// Whether there is anything to check: most messages have no such name.
[[nodiscard]] inline bool has_names_to_check(Message const& message) {
  return message.command.size() > kCommandBytesMax || !message.from_server.empty() || !message.from_service.empty() ||
         message.has("request");
}
// A value that the answer repeats; the status names the parameter and the limit, never the value.
[[nodiscard]] Status check_echo(std::string_view name, Value const& value, std::size_t bytes_max);
// The command, and the sender to whom the answer goes.
[[nodiscard]] Status check_head_names(Message const& message);

}  // namespace fastjournal::protocol
