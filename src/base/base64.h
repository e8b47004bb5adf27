// Base64 with the standard alphabet and padding (RFC 4648, section 4): how
// binary values travel in text and JSON messages.
#pragma once

#include <string>
#include <string_view>

namespace fastjournal {

void append_base64(std::string_view bytes, std::string& out);
// To where there is room for 4 bytes for each 3, begun ones too; returns where it ended.
char* put_base64(std::string_view bytes, char* to);

// Replaces `out` by what `text` spells. Strict: the padding must be there, no blanks or line ends,
// and the bits that padding leaves over must be zero, so that each value has one spelling.
// False leaves `out` empty.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& out);

}  // namespace fastjournal
