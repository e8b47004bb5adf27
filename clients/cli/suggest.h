// What somebody meant who typed a command or an option that there is not.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fastjournal::cli {

// "; did you mean NAME?" if one of `names` is near, begins so, or is what `word` is called elsewhere; else empty.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<std::string const> names);

}  // namespace fastjournal::cli
