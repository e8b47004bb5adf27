// UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fastjournal {

[[nodiscard]] bool is_utf8(std::string_view text);

// The bytes of a character by its first one; 0: none begins so.
[[nodiscard]] std::size_t utf8_bytes(unsigned char first);

// The character at the front of `text`, which is taken off. Nothing, and `text` as it was, if there is no valid one.
[[nodiscard]] std::optional<char32_t> take_character(std::string_view& text);

// Writes a character; returns the number of its bytes.
std::size_t store_utf8(char32_t character, char (&to)[4]);

}  // namespace fastjournal
