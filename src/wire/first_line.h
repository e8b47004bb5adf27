// What the first line of a connection must be: a message of ours. A browser can be
// made to send a request to any port of its computer, with lines of a stranger's
// choice behind the first ones; so whoever begins with anything else is no client.
#pragma once

#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::wire {

// `message` is what parse_line made of `line`. `invalid`: it reads as a message, and no client begins so: it is a request
// of HTTP (" HTTP/1.1" at its end), or its command has bytes that no command has (a greeting of TLS).
[[nodiscard]] Status check_first_line(std::string_view line, Message const& message);

}  // namespace fastjournal::wire
