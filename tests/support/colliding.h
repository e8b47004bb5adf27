// Keys that an attacker would choose: eight bytes each, whose hashes (base/hash.h) under the seed 0 agree in their
// upper half, which indexes use. XXH3 of 4 to 8 bytes is a chain of reversible steps (xxhash.h, XXH3_len_4to8_64b and
// XXH3_rrmxmx), so bytes for any hash can be computed, without searching.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace fastjournal::test {

// The eight bytes, as a little-endian number, whose hash64 under the seed 0 is `hash`.
[[nodiscard]] inline std::uint64_t bytes_of_hash(std::uint64_t hash) {
  constexpr std::uint64_t kPrime = 0x9FB21C651E98DF25ULL;
  // Words 1 and 2 of the default secret.
  constexpr std::uint64_t kFlip = 0x1CAD21F72C81017CULL ^ 0xDB979083E96DD4DEULL;
  // Newton's iteration: each round doubles the number of correct bits.
  std::uint64_t inverse = kPrime;
  for (int round = 0; round < 6; ++round) inverse *= 2 - kPrime * inverse;
  std::uint64_t h = hash ^ (hash >> 28U) ^ (hash >> 56U);
  h *= inverse;
  h ^= (h >> 35U) + 8;  // does not change the bits that it depends on
  h *= inverse;
  // x -> x ^ rotl(x, 49) ^ rotl(x, 24), applied 64 times, is the identity: 63 more times undo it.
  for (int time = 0; time < 63; ++time) h ^= std::rotl(h, 49) ^ std::rotl(h, 24);
  h ^= kFlip;
  return std::rotl(h, 32);  // the hash reads the halves in reverse order
}

// The `i`-th of the keys whose hashes have the upper half `high`.
[[nodiscard]] inline std::string colliding_bytes(std::uint32_t high, std::uint32_t i) {
  std::uint64_t const number = bytes_of_hash(std::uint64_t{high} << 32U | i);
  std::string out;
  for (unsigned byte = 0; byte < 8; ++byte) out += static_cast<char>(number >> (8 * byte));
  return out;
}

}  // namespace fastjournal::test
