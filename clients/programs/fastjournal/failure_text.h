// The report of a failed command: how it ended, and the end of its standard error. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/failure.h"
#include "fastjournal/limits.h"

namespace fastjournal::cli {

// The last bytes of a stream, a few more than a trace holds.
class Tail {
 public:
  void add(std::string_view bytes);
  [[nodiscard]] std::string_view bytes() const { return kept_; }

 private:
  static constexpr std::size_t kBytesMax = kTraceBytesMax + std::size_t{4} * 1024;
  std::string kept_;
};

// "sh: exit status 3: cannot open x", at most kErrorBytesMax: a long `standard_error` loses its beginning, marked by
// "...". UTF-8, without characters that a text message cannot carry or that control a terminal, except line ends.
[[nodiscard]] std::string failure_text(std::string_view command, std::string_view end, std::string_view standard_error);
// The same of the standard error alone.
[[nodiscard]] std::string failure_end(std::string_view standard_error);
// Its end for error_trace, at most kTraceBytesMax. Empty if `error`, of one of the above, has all of it.
[[nodiscard]] std::string failure_trace(std::string_view standard_error, std::string_view error);

}  // namespace fastjournal::cli
