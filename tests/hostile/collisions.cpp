#include "tests/hostile/collisions.h"

#include <bit>

namespace fastjournal::hostile {
namespace {

constexpr std::uint64_t kMultiplier = 0x9FB21C651E98DF25ULL;
// Bytes 8 to 15 and 16 to 23 of the default secret, little endian.
constexpr std::uint64_t kFlip = 0x1cad21f72c81017cULL ^ 0xdb979083e96dd4deULL;

// Newton's iteration doubles the number of correct bits of an inverse modulo 2^64; an odd number is its own inverse for
// three bits.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t out = odd;
  for (int i = 0; i < 6; ++i) out *= 2 - odd * out;
  return out;
}

constexpr std::uint64_t spread(std::uint64_t x) { return x ^ std::rotl(x, 49) ^ std::rotl(x, 24); }

// spread is 1 + R^49 + R^24 over bits, and its 64th power is 1: applying it 63 times more undoes it.
constexpr std::uint64_t unspread(std::uint64_t x) {
  for (int i = 0; i < 63; ++i) x = spread(x);
  return x;
}

}  // namespace

std::uint64_t key_of_hash(std::uint64_t hash) {
  std::uint64_t x = hash ^ hash >> 28U ^ hash >> 56U;
  x *= inverse(kMultiplier);
  x ^= (x >> 35U) + 8;  // the upper 35 bits are unchanged, and no carry reaches them
  x *= inverse(kMultiplier);
  x = unspread(x) ^ kFlip;
  // The first four bytes are in the upper half, the last four in the lower one, each half little endian.
  auto const first = static_cast<std::uint32_t>(x >> 32U);
  auto const last = static_cast<std::uint32_t>(x);
  return std::uint64_t{__builtin_bswap32(first)} << 32U | __builtin_bswap32(last);
}

}  // namespace fastjournal::hostile
