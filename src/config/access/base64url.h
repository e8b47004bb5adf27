// Base64 with the alphabet for names and URLs, without padding (RFC 4648, section 5): the form of tokens and of their
// hashes. Apart from base/base64.h, whose form is that of values in messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::access {

[[nodiscard]] constexpr std::size_t base64url_size(std::size_t bytes) { return (bytes * 4 + 2) / 3; }

void append_base64url(std::string_view bytes, std::string& out);
// Empty if it is not the one spelling of some bytes: the unused bits of the last character must be zero.
[[nodiscard]] std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace fastjournal::access
