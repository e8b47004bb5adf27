// Messages as msgpack maps, the fast binary form: the same keys as the JSON
// form (json.h). str is text, bin is binary, integers, floats and booleans keep
// their kind. Framed as framer.h says.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "wire/outgoing.h"

namespace fastjournal::wire {

// Clears `into` and fills it from a frame's body; views point into the body, nothing is copied. Keys that are
// not known at the top level are ignored with their values. Errors: `invalid` with the offset, or
// `too_large` for more than Message::kParamsMax parameters.
[[nodiscard]] Status parse_frame(std::string_view body, Message& into);

// Appends header and body. The body must stay below 4 GiB.
void append_frame(Outgoing const& message, std::string& out);

}  // namespace fastjournal::wire
