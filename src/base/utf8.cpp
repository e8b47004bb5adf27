#include "base/utf8.h"

#include <cstring>

#include "base/blocks.h"

namespace fastjournal {

bool is_utf8(std::string_view text) {
  if (!any_marked(text, [](Block block) { return block & 0x80; })) return true;
  while (!text.empty()) {
    std::uint64_t eight = 0x80;
    if (text.size() >= sizeof eight) std::memcpy(&eight, text.data(), sizeof eight);
    if ((eight & 0x8080808080808080ULL) == 0)
      text.remove_prefix(sizeof eight);
    else if (!take_character(text))
      return false;
  }
  return true;
}

std::size_t utf8_bytes(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF5 ? 4 : 0;
}

std::optional<char32_t> take_character(std::string_view& text) {
  auto const at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return std::nullopt;
  std::size_t const size = utf8_bytes(at(0));
  if (size == 0 || size > text.size()) return std::nullopt;
  char32_t out = size == 1 ? at(0) : at(0) & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xC0U) != 0x80) return std::nullopt;
    out = out << 6U | (at(i) & 0x3FU);
  }
  bool const overlong = (size == 3 && out < 0x800) || (size == 4 && out < 0x10000);
  bool const surrogate = out >= 0xD800 && out <= 0xDFFF;
  if (overlong || surrogate || out > 0x10FFFF) return std::nullopt;
  text.remove_prefix(size);
  return out;
}

std::size_t store_utf8(char32_t character, char (&to)[4]) {
  auto const put = [&](std::size_t at, char32_t byte) { to[at] = static_cast<char>(static_cast<unsigned char>(byte)); };
  if (character < 0x80) {
    put(0, character);
    return 1;
  }
  std::size_t const size = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
  constexpr char32_t kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (std::size_t i = size; i-- > 1; character >>= 6U) put(i, 0x80U | (character & 0x3FU));
  put(0, kLead[size] | character);
  return size;
}

}  // namespace fastjournal
