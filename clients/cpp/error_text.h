// The texts of failures: whatever a program has caught, a text of it arrives, as without one the work would stay leased.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "clients/cpp/client.h"
#include "fastjournal/limits.h"
#include "fastjournal/message.h"

namespace fastjournal::client {

// The beginning of `given`, cut at a character, as valid UTF-8 that every framing can carry: any other byte, and NUL, is
// '?', and there is no backslash at the end.
[[nodiscard]] std::string error_text(std::string_view given, std::size_t bytes_max = kErrorBytesMax);

// Nothing if it is empty.
void set_error(Message& command, std::string_view name, std::string_view given, std::size_t bytes_max = kErrorBytesMax);

// error and error_trace, as of set_error.
void set_failure(Message& command, std::string_view error, std::string_view error_trace);

// A daemon that knows no traces has refused the command. True: it has none now, and is to be sent again.
[[nodiscard]] bool drops_trace(Message& command, Status const& refusal);

// The answer to a command with these, whatever the daemon knows.
[[nodiscard]] Result<Reply> report(Connection& connection, Message& command);

}  // namespace fastjournal::client
