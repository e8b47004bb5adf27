// Scans text sixteen bytes at a time, with the compiler's vectors. Every value of every message is scanned for the few
// bytes that need special treatment, and most values have none.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace fastjournal {

using Block [[gnu::vector_size(16)]] = std::uint8_t;

// Whether suspect(block) marks any byte of the text. `suspect` must not mark a blank: short texts are padded with
// blanks.
template <typename Suspect>
[[nodiscard]] bool any_marked(std::string_view text, Suspect const& suspect) {
  using Halves [[gnu::vector_size(16)]] = std::uint64_t;
  auto const marks = [&](char const* from) {
    Block block;
    std::memcpy(&block, from, sizeof block);
    return Halves(suspect(block));
  };
  Halves found{};
  if (text.size() >= sizeof(Block)) {
    char const* const last = text.data() + text.size() - sizeof(Block);
    for (char const* at = text.data(); at < last; at += sizeof(Block)) found |= marks(at);
    found |= marks(last);
  } else {
    char filled[sizeof(Block)];
    std::memset(filled, ' ', sizeof filled);
    if (!text.empty()) std::memcpy(filled, text.data(), text.size());
    found = marks(filled);
  }
  return (found[0] | found[1]) != 0;
}

}  // namespace fastjournal
