// Base64 with the standard alphabet and padding (RFC 4648, section 4): the form of binary values in text and JSON
// messages.
#pragma once

#include <string>
#include <string_view>

namespace fastjournal {

void append_base64(std::string_view bytes, std::string& out);
// `to` must have room for 4 bytes per 3 bytes of input, rounded up; returns the end of the output.
char* put_base64(std::string_view bytes, char* to);

// Replaces `out` by the bytes that `text` encodes. Strict, so that each value has one spelling: the padding is
// required, blanks and line ends are refused, and the unused bits before the padding must be zero. False leaves `out`
// empty.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& out);

}  // namespace fastjournal
