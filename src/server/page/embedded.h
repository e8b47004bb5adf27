// The output of cmake/embed.cmake for a folder: the bytes of its files.
#pragma once

#include <span>
#include <string_view>

namespace fastjournal::page {

struct Embedded {
  std::string_view path;  // "/index.html"
  std::string_view bytes;
};

// Defined by the build, in a source of its own.
[[nodiscard]] std::span<Embedded const> embedded();

}  // namespace fastjournal::page
