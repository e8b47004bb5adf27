// The output of cmake/embed.cmake: the bytes of files that the build puts into the program.
#pragma once

#include <span>
#include <string_view>

namespace fastjournal {

struct Embedded {
  std::string_view path;  // "/index.html"
  std::string_view bytes;
};

// Defined by the build, in sources of their own: the files of the page, and daemon.xml.
namespace page {
[[nodiscard]] std::span<Embedded const> embedded();
}
namespace admin {
[[nodiscard]] std::span<Embedded const> embedded();
}

}  // namespace fastjournal
