// The one door to xxHash: XXH3 with 64 bits. Its values are stored in logs and
// in files, so they must never change: the unit test pins some of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace fastjournal {

// XXH3-64 of the bytes; different seeds give unrelated values. Finds damage, is no secret:
// who knows the seed can make collisions.
[[nodiscard]] std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace fastjournal
