// Variable-length integers and zigzag, for the row and schema codecs: 7 bits a byte, the lowest first; the high bit is
// set if more bytes follow. Most numbers are small, and a string of 200 bytes must not cost 208.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal::model {

inline constexpr std::size_t kVarintBytesMax = 10;

// `to` needs room for kVarintBytesMax bytes; returns the number of bytes written.
inline std::size_t store_varint(char* to, std::uint64_t value) {
  std::size_t size = 0;
  while (value >= 0x80) {
    to[size++] = static_cast<char>(static_cast<unsigned char>(value | 0x80U));
    value >>= 7U;
  }
  to[size++] = static_cast<char>(static_cast<unsigned char>(value));
  return size;
}

[[nodiscard]] constexpr std::size_t varint_bytes(std::uint64_t value) {
  return value < 0x80 ? 1 : static_cast<std::size_t>(std::bit_width(value) + 6) / 7;
}

inline void append_varint(std::string& out, std::uint64_t value) {
  char bytes[kVarintBytesMax];
  out.append(bytes, store_varint(bytes, value));
}

[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

// The rest of take_varint.
[[nodiscard]] inline bool take_long_varint(std::string_view& from, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < from.size() && i < kVarintBytesMax; ++i) {
    auto const byte = static_cast<unsigned char>(from[i]);
    if (i == kVarintBytesMax - 1 && byte > 1) return false;
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7U * i);
    if (byte < 0x80) {
      if (byte == 0 && i > 0) return false;
      from.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// Takes one off the front. False if it is incomplete, above 64 bits, or longer than necessary: each value has one
// spelling, since rows are compared and digested by their bytes.
[[nodiscard]] inline bool take_varint(std::string_view& from, std::uint64_t& value) {
  if (from.empty() || static_cast<unsigned char>(from.front()) >= 0x80) return take_long_varint(from, value);
  value = static_cast<unsigned char>(from.front());
  from.remove_prefix(1);
  return true;
}

}  // namespace fastjournal::model
