#include "base/base64.h"

#include <array>
#include <cstdint>

namespace fastjournal {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> out{};
  out.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    out[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return out;
}();

std::uint32_t byte_of(char c) { return static_cast<std::uint8_t>(c); }

// Four digits make 24 bits. A larger result means that one of them is not a digit.
std::uint32_t group_of(char const* text, std::size_t digits) {
  constexpr std::uint32_t kBad = 1U << 24U;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint32_t const digit = i < digits ? kDigits[byte_of(text[i])] : 0U;
    if (digit == kNoDigit) return kBad;
    bits = bits << 6U | digit;
  }
  return bits;
}

}  // namespace

void append_base64(std::string_view bytes, std::string& out) {
  std::size_t const begin = out.size();
  out.resize(begin + (bytes.size() + 2) / 3 * 4);
  put_base64(bytes, out.data() + begin);
}

char* put_base64(std::string_view bytes, char* to) {
  auto const put = [&to](std::uint32_t bits, unsigned digits) {
    for (unsigned i = 0; i < 4; ++i) *to++ = i < digits ? kAlphabet[bits >> (18U - 6U * i) & 63U] : '=';
  };
  std::size_t at = 0;
  for (; bytes.size() - at >= 3; at += 3)
    put(byte_of(bytes[at]) << 16U | byte_of(bytes[at + 1]) << 8U | byte_of(bytes[at + 2]), 4);
  if (bytes.size() - at == 2) put(byte_of(bytes[at]) << 16U | byte_of(bytes[at + 1]) << 8U, 3);
  if (bytes.size() - at == 1) put(byte_of(bytes[at]) << 16U, 2);
  return to;
}

bool decode_base64(std::string_view text, std::string& out) {
  out.clear();
  if (text.empty()) return true;
  if (text.size() % 4 != 0) return false;
  std::size_t const padding = !text.ends_with('=') ? 0U : !text.ends_with("==") ? 1U : 2U;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    bool const last = at + 4 == text.size();
    std::size_t const left_out = last ? padding : 0;
    std::uint32_t const bits = group_of(text.data() + at, 4 - left_out);
    std::uint32_t const unused = left_out == 0 ? 0 : left_out == 1 ? 0xFFU : 0xFFFFU;
    if (bits >> 24U != 0 || (bits & unused) != 0) {
      out.clear();
      return false;
    }
    char const group[3] = {static_cast<char>(bits >> 16U), static_cast<char>(bits >> 8U), static_cast<char>(bits)};
    out.append(group, 3 - left_out);
  }
  return true;
}

}  // namespace fastjournal
