// Characters as shown by a terminal: their width in columns. A wide character takes two columns, a combining one none.
#pragma once

#include <cstddef>
#include <string_view>

namespace fastjournal::cli {

// Columns; an invalid byte or a control character counts as one.
[[nodiscard]] std::size_t display_width(std::string_view text);
// The longest prefix of at most `width` columns.
[[nodiscard]] std::string_view cut_to_width(std::string_view text, std::size_t width);

}  // namespace fastjournal::cli
