// Follows a file that another process appends to, line by line. The file need not exist yet.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"

namespace fastjournal::process {

class LineReader {
 public:
  explicit LineReader(std::filesystem::path path) : path_(std::move(path)) {}
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&&) = delete;
  LineReader(LineReader const&) = delete;
  LineReader& operator=(LineReader const&) = delete;
  ~LineReader();

  // Calls `on_line` for every new complete line, without its LF.
  template <typename OnLine>
  [[nodiscard]] Status read(OnLine&& on_line) {
    if (Status got = fetch(); !got.ok()) return got;
    std::size_t begin = 0;
    for (std::size_t end = held_.find('\n'); end != std::string::npos; end = held_.find('\n', begin)) {
      on_line(std::string_view{held_}.substr(begin, end - begin));
      begin = end + 1;
    }
    held_.erase(0, begin);
    return {};
  }

 private:
  [[nodiscard]] Status fetch();

  std::filesystem::path path_;
  int fd_{-1};
  std::string held_;
};

}  // namespace fastjournal::process
