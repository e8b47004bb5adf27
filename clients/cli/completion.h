// Completion scripts, generated from the options of the parser, so that they always agree; tables are asked of the
// daemon when the key is pressed.
#pragma once

#include <string>
#include <string_view>

namespace fastjournal::cli {

// `shell`: bash or zsh.
[[nodiscard]] std::string completion_script(std::string_view shell);

}  // namespace fastjournal::cli
