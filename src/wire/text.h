// Text messages in the eventdispatcher format:
//
//   line  = [ "<" from_server ":" from_service SP ] [ [ server ":" ] service "/" ] command [ SP param *( ";" param ) [ ";" ] ]
//   param = name "=" ( unquoted | DQUOTE quoted DQUOTE )
//
// Liberal in, strict out: what is read is what the eventdispatcher library
// reads, byte for byte (tests/golden/wire/parse-vectors.jsonl); what is written
// is only what it reads back the same.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "wire/outgoing.h"

namespace fastjournal::wire {

// Clears `into` and fills it from one line without its LF; a line that begins with '{' is read as
// JSON (json.h). Views point into the line; only values with escapes are copied, to the arena. A line of
// nothing but blanks gives ok and an empty command. Errors: `invalid`, or `too_large` for
// more than Message::kParamsMax parameters; the sentence says what and at which column (from 1).
// `into` is of no use then.
[[nodiscard]] Status parse_line(std::string_view line, Message& into);

// Appends the line with its LF: parameters sorted by name, each ended with ";". Integers, reals and booleans
// (1, 0) are written in decimal, binary as base64. Errors append nothing: `invalid` for what a
// reader could not read back (a name or command it would not accept; a value with a NUL, with an
// escape it cannot tell from bytes, or with blanks where it trims), `too_large` for too many parameters.
[[nodiscard]] Status append_line(Outgoing const& message, std::string& out);

// The most bytes that a value takes in a line; nothing: no line can carry it (a NUL; quotes that a backslash ends).
[[nodiscard]] std::optional<std::size_t> line_bytes(Value const& value);

}  // namespace fastjournal::wire
