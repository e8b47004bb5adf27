// Keys of blobs: 96 bits in the place of a name of any length. They are stored in logs, sent in packets and made by clients
// of any language, so what makes them never changes; tests/unit/bcdb pins some.
//
// Packed: 12 bytes {u32 hash_value, u64 hash_id}, little endian. As text: these bytes as 24 hex digits.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::bcdb {

inline constexpr std::size_t kKeyBytes = 12;
inline constexpr std::size_t kKeyDigits = 2 * kKeyBytes;

// Equal pairs have the same key. The order is that of the index.
struct Key {
  std::uint32_t hash_value{0};
  std::uint64_t hash_id{0};

  auto operator<=>(Key const&) const = default;
};

// XXH3-128 of the name: hash_value is the low 32 bits of its low half, hash_id its high half.
[[nodiscard]] Key make_key(std::string_view name);
// The same of a name that may contain NULs; `length` 0: it ends before the first one.
[[nodiscard]] Key make_key(char const* name, std::size_t length);
// Of a table with a secret: the first 12 bytes of HMAC-SHA-256 of the name. Who does not know the secret cannot find
// names that have one key. An empty secret: as above.
[[nodiscard]] Key make_key(std::string_view name, std::string_view secret);
inline constexpr std::size_t kSecretBytesMin = 16;

[[nodiscard]] std::array<char, kKeyBytes> packed(Key const& key);
// Of the first kKeyBytes of `bytes`, which must be there.
[[nodiscard]] Key unpacked(std::string_view bytes);

// Lower case; both are read.
[[nodiscard]] std::string digits_of(Key const& key);
[[nodiscard]] std::optional<Key> key_of_digits(std::string_view digits);

}  // namespace fastjournal::bcdb
