// Memory that is overwritten when it is no longer needed, so that a token does not stay behind in freed memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fastjournal::access {

// Overwrites the bytes; not optimised away as a dead store.
void wipe(std::span<char> bytes);
// The same, with the room behind its end; it is empty afterwards.
void wipe(std::string& text);

}  // namespace fastjournal::access
