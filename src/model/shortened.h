// Texts for people (errors, reasons, names of domains) up to a limit: the rest is cut off, between characters of UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace fastjournal::model {

[[nodiscard]] inline std::string_view shortened(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t size = bytes_max;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

}  // namespace fastjournal::model
