#include "clients/programs/fastjournal/utf8.h"

#include <clocale>  // also newlocale(), according to POSIX
#include <cstdint>
#include <cwchar>

#include <algorithm>
#include <optional>

#include "base/utf8.h"

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

// The bytes that fit into `width` columns, and the columns that they take.
struct Reached {
  std::size_t bytes{0};
  std::size_t columns{0};
};
Reached reach(std::string_view text, std::size_t width) {
  Utf8Locale const locale;
  Reached out;
  for (std::string_view rest = text; !rest.empty(); out.bytes = text.size() - rest.size()) {
    std::optional<char32_t> const character = take_character(rest);
    std::size_t const columns = !character || *character < 0x80 ? 1 : locale.width(static_cast<wchar_t>(*character));
    if (columns > width - out.columns) break;
    out.columns += columns;
    if (!character) rest.remove_prefix(1);
  }
  return out;
}

}  // namespace

std::size_t display_width(std::string_view text) { return reach(text, SIZE_MAX).columns; }

std::string_view cut_to_width(std::string_view text, std::size_t width) {
  return text.substr(0, reach(text, width).bytes);
}

}  // namespace fastjournal::cli
