// Whether bytes are well-formed XML of the plain kind that a configuration
// needs. tinyxml2 builds a tree from much that XML forbids (undefined
// entities, a bare `&`, two roots, an attribute twice), and what one reader
// takes and another refuses is a guess; so this stands before it. Document
// types, entities of one's own and encodings other than UTF-8 are refused.
#pragma once

#include <cstddef>
#include <string_view>

#include "config/problems.h"

namespace fastjournal::config {

// No configuration needs as many; what reads a file looks through them again and again.
inline constexpr std::size_t kElementsMax = 10'000;

// The first fault found is added to `problems`; a file that is not well-formed has no second one worth showing.
[[nodiscard]] bool check_well_formed(std::string_view text, Problems& problems);

}  // namespace fastjournal::config
