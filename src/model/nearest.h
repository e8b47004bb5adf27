// Finds the known name that a misspelt one was meant to be: for "did you mean ...?".
#pragma once

#include <span>
#include <string_view>

namespace fastjournal::model {

// The nearest of `names`, at most 2 edits away and fewer than half the letters of `found`; else empty.
[[nodiscard]] std::string_view nearest(std::string_view found, std::span<std::string_view const> names);

}  // namespace fastjournal::model
