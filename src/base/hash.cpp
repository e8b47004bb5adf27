#include "base/hash.h"

#define XXH_STATIC_LINKING_ONLY  // the size of the state
#include <xxhash.h>

namespace fastjournal {

struct Hasher128::State {
  XXH3_state_t at;
};

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 hash128(std::string_view bytes) {
  XXH128_hash_t const hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

Hasher128::Hasher128() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->at); }
Hasher128::~Hasher128() = default;
Hasher128::Hasher128(Hasher128&&) noexcept = default;
Hasher128& Hasher128::operator=(Hasher128&&) noexcept = default;

void Hasher128::add(std::string_view bytes) { XXH3_128bits_update(&state_->at, bytes.data(), bytes.size()); }

Hash128 Hasher128::hash() const {
  XXH128_hash_t const hash = XXH3_128bits_digest(&state_->at);
  return {hash.low64, hash.high64};
}

}  // namespace fastjournal
