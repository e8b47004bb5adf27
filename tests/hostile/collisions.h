// Keys that collide under a hash with seed 0. XXH3 of 8 bytes is a bijection, so whoever knows the seed can compute a
// key for any hash: the steps of XXH3_len_4to8_64b in xxHash's specification, backwards.
#pragma once

#include <cstdint>

namespace fastjournal::hostile {

// The 8 bytes, read as a big-endian number, whose XXH3-64 with seed 0 is `hash`.
[[nodiscard]] std::uint64_t key_of_hash(std::uint64_t hash);

}  // namespace fastjournal::hostile
