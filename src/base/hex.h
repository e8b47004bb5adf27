// Bytes and numbers in lower-case hexadecimal digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal {

inline void append_hex(std::string& out, std::uint8_t byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out.push_back(kDigits[byte >> 4U]);
  out.push_back(kDigits[byte & 15U]);
}

// 16 digits, the highest first.
inline void append_hex(std::string& out, std::uint64_t number) {
  for (unsigned shift = 64; shift > 0; shift -= 8) append_hex(out, static_cast<std::uint8_t>(number >> (shift - 8)));
}

}  // namespace fastjournal
