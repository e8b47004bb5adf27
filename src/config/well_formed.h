// Checks that bytes are well-formed XML of the simple kind needed for configurations. tinyxml2 accepts much that XML
// forbids (undefined entities, a bare `&`, two roots, a repeated attribute), and readers then disagree about the
// meaning; so this check comes first. Document types, custom entities and encodings other than UTF-8 are refused.
#pragma once

#include <cstddef>
#include <string_view>

#include "config/problems.h"

namespace fastjournal::config {

// No configuration needs as many. The readers search the elements repeatedly.
inline constexpr std::size_t kElementsMax = 10'000;

// Adds the first fault to `problems`: further faults of a file that is not well-formed are meaningless.
[[nodiscard]] bool check_well_formed(std::string_view text, Problems& problems);

}  // namespace fastjournal::config
