// Suggestions for an unknown command or option.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fastjournal::cli {

// "; did you mean NAME?" if one of `names` is similar, begins with `word`, or is its name in other tools; else empty.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<std::string const> names);

}  // namespace fastjournal::cli
