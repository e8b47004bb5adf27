#include "wire/bcdb/key.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace fastjournal::bcdb {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::optional<unsigned> value_of(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a' + 10);
  if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A' + 10);
  return std::nullopt;
}

}  // namespace

Key make_key(std::string_view name) {
  Hash128 const hash = hash128(name);
  return {.hash_value = static_cast<std::uint32_t>(hash.low), .hash_id = hash.high};
}

Key make_key(char const* name, std::size_t length) {
  return make_key(length == 0 ? std::string_view{name} : std::string_view{name, length});
}

Key make_key(std::string_view name, std::string_view secret) {
  if (secret.empty()) return make_key(name);
  std::array<unsigned char, 32> mac{};
  unsigned int size = 0;
  unsigned char const* const done =
      HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<unsigned char const*>(name.data()), name.size(), mac.data(), &size);
  FJ_CHECK(done != nullptr && size == mac.size(), "the library has HMAC-SHA-256");
  return unpacked({reinterpret_cast<char const*>(mac.data()), kKeyBytes});
}

std::array<char, kKeyBytes> packed(Key const& key) {
  std::array<char, kKeyBytes> out{};
  store_little(out.data(), key.hash_value);
  store_little(out.data() + sizeof key.hash_value, key.hash_id);
  return out;
}

Key unpacked(std::string_view bytes) {
  FJ_CHECK(bytes.size() >= kKeyBytes, "a packed key has 12 bytes");
  return {.hash_value = load_little<std::uint32_t>(bytes.data()),
          .hash_id = load_little<std::uint64_t>(bytes.data() + sizeof(std::uint32_t))};
}

std::string digits_of(Key const& key) {
  std::string out;
  for (char const byte : packed(key)) {
    auto const bits = static_cast<unsigned char>(byte);
    out.append(1, kDigits[bits >> 4U]).append(1, kDigits[bits & 15U]);
  }
  return out;
}

std::optional<Key> key_of_digits(std::string_view digits) {
  if (digits.size() != kKeyDigits) return std::nullopt;
  std::array<char, kKeyBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::optional<unsigned> const high = value_of(digits[2 * i]);
    std::optional<unsigned> const low = value_of(digits[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    bytes[i] = static_cast<char>(*high << 4U | *low);
  }
  return unpacked({bytes.data(), bytes.size()});
}

}  // namespace fastjournal::bcdb
