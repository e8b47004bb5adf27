// What is told of a command that failed: how it ended, and the end of what it wrote to standard error. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fastjournal::cli {

// What a row keeps of an error (doc/protocol.md).
inline constexpr std::size_t kErrorBytesMax = 1024;

// The last bytes of a stream, some more than an error keeps.
class Tail {
 public:
  void add(std::string_view bytes);
  [[nodiscard]] std::string_view bytes() const { return kept_; }

 private:
  static constexpr std::size_t kBytesMax = std::size_t{4} * 1024;
  std::string kept_;
};

// "sh: exit status 3: cannot open x", at most kErrorBytesMax: the beginning of `standard_error` gives way, marked by "...".
// UTF-8, and nothing that a text message could not carry or that steers a terminal, line ends apart.
[[nodiscard]] std::string failure_text(std::string_view command, std::string_view end, std::string_view standard_error);

}  // namespace fastjournal::cli
