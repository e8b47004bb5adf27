// Messages as msgpack maps, the fast binary form, with the keys of the JSON form (json.h). str is text, bin is binary;
// integers, floats and booleans keep their kind. framer.h describes the framing.
#pragma once

#include <cstdint>
#include <span>
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

// Appends the frame of a message with a command and parameters alone, whose body append_frame has written, with more
// parameters behind its own, whose names it does not have. Saves writing it anew. False: the body is not as append_frame
// writes it; nothing was appended.
[[nodiscard]] bool append_frame_with(std::string_view body, std::span<Param const> more, std::string& out);

// Of a frame's body that the other side has written: the command, and the integer parameter `request`. For callers that
// need nothing else of many answers. False: it has no such parameter, or is no message; parse_frame says more.
struct AnswerHead {
  std::string_view command{};
  std::uint64_t request{0};
};
[[nodiscard]] bool parse_answer_head(std::string_view body, AnswerHead& into);

}  // namespace fastjournal::protocol
