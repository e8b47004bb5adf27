// What the first line of a connection must be: a message of ours. A browser can be made to send a request to any port
// of its computer, with lines of a stranger's choice behind the first ones; so whoever begins with anything else is no
// client. The line is answered, so that a person at `nc` sees why, and the connection closed. A frame needs no such
// check: nobody can be made to send one. No word of HTTP is reserved: its request lines are recognised by their end.
#pragma once

#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::wire {

// `message` is what parse_line made of `line`. `invalid`: it reads as a message, and no client begins so: it is a request
// of HTTP (" HTTP/1.1" at its end), or its command has bytes that no command has (a greeting of TLS), or too many.
[[nodiscard]] Status check_first_line(std::string_view line, Message const& message);

}  // namespace fastjournal::wire
