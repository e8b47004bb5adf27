// Text messages in the eventdispatcher format:
//
//   line  = [ "<" from_server ":" from_service SP ] [ [ server ":" ] service "/" ] command
//           [ SP param *( ";" param ) [ ";" ] ]
//   param = name "=" ( unquoted | DQUOTE quoted DQUOTE )
//
// Liberal in, strict out. Reading accepts exactly the input of the eventdispatcher library, byte for byte
// (tests/golden/wire/parse-vectors.jsonl). Writing produces only lines that the library reads back unchanged.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"

namespace fastjournal::protocol {

// Clears `into` and fills it from one line without its LF; a line that begins with '{' is parsed as JSON (json.h).
// Views point into the line; only values with escapes are copied, to the arena. A line of blanks gives ok and an empty
// command. Errors: `invalid`, or `too_large` for more than Message::kParamsMax parameters; the sentence has the reason
// and the column (from 1). After an error `into` is unusable.
[[nodiscard]] Status parse_line(std::string_view line, Message& into);

// The same for the parameters alone, without a command before them.
[[nodiscard]] Status parse_line_parameters(std::string_view text, Message& into);

// Appends the line with its LF: parameters sorted by name, each followed by ";". Integers, reals and booleans (1, 0)
// are written in decimal, binary as base64. Errors append nothing: `invalid` for a message that no reader could read
// back (a name or command outside the format; a value with a NUL, with an escape that cannot be told from bytes, or
// with blanks that a reader trims), `too_large` for too many parameters.
[[nodiscard]] Status append_line(Outgoing const& message, std::string& out);

// The maximum size of a value in a line. Empty: no line can hold it (a NUL; a backslash before the closing quote).
[[nodiscard]] std::optional<std::size_t> line_bytes(Value const& value);

}  // namespace fastjournal::protocol
