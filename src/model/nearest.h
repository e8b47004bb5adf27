// Which known name somebody meant who wrote another one: for "did you mean ...?".
#pragma once

#include <span>
#include <string_view>

namespace fastjournal::model {

// The one of `names` that is fewest letters away, if these are at most 2 and fewer than half of it; else empty.
[[nodiscard]] std::string_view nearest(std::string_view found, std::span<std::string_view const> names);

}  // namespace fastjournal::model
