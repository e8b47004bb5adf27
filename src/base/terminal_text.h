// Text for terminals, of all programs: what a user, a file or another program said must not control them, and help has
// lines of at most 100 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fastjournal {

inline constexpr std::size_t kHelpWidthMax = 100;

// A character beyond ASCII that is not shown, but changes what is: controls (U+0080 to U+009F), directions of writing, ends
// of lines.
[[nodiscard]] bool steers_terminal(char32_t character);

// Escapes control characters and bytes that are not UTF-8: the contents of a row must not control the terminal, and an
// invalid byte must not hide the rest.
[[nodiscard]] std::string printable(std::string_view text);
// The same of each line: line feeds stay, as in the sentences of a refused RELOAD.
[[nodiscard]] std::string printable_lines(std::string_view text);

// Lines of help above the limit are broken at blanks and behind commas: of an option below its description, of a text
// with what follows in the next line. Examples are to be copied, and stay.
[[nodiscard]] std::string wrapped_help(std::string_view text);

}  // namespace fastjournal
