// Characters as a terminal sees them: where one ends in UTF-8, and how many
// columns it takes. A wide character takes two, a combining one none.
#pragma once

#include <cstddef>
#include <string_view>

namespace fastjournal::cli {

// Bytes of the character that begins at `at`; 0 if none does.
[[nodiscard]] std::size_t utf8_size(std::string_view text, std::size_t at);
[[nodiscard]] bool is_utf8(std::string_view bytes);

// Columns; what is no character, or steers, counts as one.
[[nodiscard]] std::size_t display_width(std::string_view text);
// The longest beginning that takes no more than `width` columns.
[[nodiscard]] std::string_view cut_to_width(std::string_view text, std::size_t width);

}  // namespace fastjournal::cli
