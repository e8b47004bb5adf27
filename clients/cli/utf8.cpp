#include "clients/cli/utf8.h"

#include <clocale>  // also newlocale(), according to POSIX
#include <cwchar>

#include <algorithm>

namespace fastjournal::cli {
namespace {

// wcwidth() uses the thread's locale; ours is set only during a call. C.UTF-8 is part of the C library. Without it,
// each character counts as one column.
class Utf8Locale {
 public:
  Utf8Locale() : before_(locale() == nullptr ? nullptr : ::uselocale(locale())) {}
  Utf8Locale(Utf8Locale const&) = delete;
  Utf8Locale& operator=(Utf8Locale const&) = delete;
  ~Utf8Locale() {
    if (before_ != nullptr) ::uselocale(before_);
  }

  [[nodiscard]] std::size_t width(wchar_t character) const {
    int const columns = before_ == nullptr ? 1 : ::wcwidth(character);
    return columns < 0 ? 1 : static_cast<std::size_t>(columns);
  }

 private:
  static locale_t locale() {
    static locale_t const kLocale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return kLocale;
  }
  locale_t before_;
};

wchar_t character_of(std::string_view bytes) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
  static constexpr unsigned kFirstBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned out = byte(0) & kFirstBits[bytes.size()];
  for (std::size_t i = 1; i < bytes.size(); ++i) out = (out << 6U) | (byte(i) & 0x3FU);
  return static_cast<wchar_t>(out);
}

// The bytes that fit into `width` columns, and the columns that they take.
struct Reached {
  std::size_t bytes{0};
  std::size_t columns{0};
};
Reached reach(std::string_view text, std::size_t width) {
  Utf8Locale const locale;
  Reached out;
  while (out.bytes < text.size()) {
    std::size_t const size = utf8_size(text, out.bytes);
    std::size_t const columns = size <= 1 ? 1 : locale.width(character_of(text.substr(out.bytes, size)));
    if (columns > width - out.columns) break;
    out.columns += columns;
    out.bytes += std::max<std::size_t>(size, 1);
  }
  return out;
}

}  // namespace

std::size_t utf8_size(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  unsigned char const first = byte(0);
  std::size_t const size = first < 0x80                    ? 1
                           : first >= 0xC2 && first < 0xE0 ? 2
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xF0 && first < 0xF5 ? 4
                                                           : 0;
  if (size == 0 || at + size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates, and values above U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F)) return 0;
  if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) return 0;
  return size;
}

bool is_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t const size = utf8_size(bytes, at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

std::size_t display_width(std::string_view text) { return reach(text, SIZE_MAX).columns; }

std::string_view cut_to_width(std::string_view text, std::size_t width) {
  return text.substr(0, reach(text, width).bytes);
}

}  // namespace fastjournal::cli
