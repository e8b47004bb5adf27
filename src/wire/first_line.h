// The first line of a connection must be one of our messages. A browser can be made to send a request to any port of
// its computer, followed by lines of an attacker's choice; so any other beginning ends the connection. The line is
// answered first, so that a person at `nc` sees the reason. Frames need no such check: a web page cannot send one.
// No word of HTTP is reserved: its request lines are recognised by their end.
#pragma once

#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::protocol {

// `message` is the result of parse_line(line). `invalid`: a readable message, but not the first one of any client: an
// HTTP request (" HTTP/1.1" at its end), or a command with bytes that no command has (a TLS greeting), or a command
// that is too long.
[[nodiscard]] Status check_first_line(std::string_view line, Message const& message);

// The connection begins with another protocol, for which another listener may be there: without a line's end, its sender
// would wait for an answer in vain.
[[nodiscard]] Status check_first_bytes(std::string_view unread);

}  // namespace fastjournal::protocol
