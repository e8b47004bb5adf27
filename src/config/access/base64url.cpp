#include "config/access/base64url.h"

#include <cstdint>

namespace fastjournal::access {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

void append_base64url(std::string_view bytes, std::string& out) {
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (char const c : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) out.push_back(kAlphabet[bits >> (count - 6) & 0x3FU]);
  }
  if (count > 0) out.push_back(kAlphabet[bits << (6 - count) & 0x3FU]);
}

std::optional<std::string> decode_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (char const c : text) {
    std::size_t const value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count & 0xFFU));
  }
  if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace fastjournal::access
