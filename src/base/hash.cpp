#include "base/hash.h"

#include <xxhash.h>

namespace fastjournal {

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace fastjournal
