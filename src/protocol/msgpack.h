// Messages as msgpack maps, the fast binary form, with the keys of the JSON form (json.h). str is text, bin is binary;
// integers, floats and booleans keep their kind. framer.h describes the framing.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"

namespace fastjournal::protocol {

// Clears `into` and fills it from a frame's body. Views point into the body; nothing is copied. Unknown keys at the top
// level are ignored, with their values. Errors: `invalid` with the offset, or `too_large` for more than
// Message::kParamsMax parameters.
[[nodiscard]] Status parse_frame(std::string_view body, Message& into);

// Appends header and body. The body must stay below 4 GiB.
void append_frame(Outgoing const& message, std::string& out);

}  // namespace fastjournal::protocol
