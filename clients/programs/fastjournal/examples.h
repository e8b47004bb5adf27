// The examples at the end of each command's help, which is also its manual page. They stand apart from the options, so
// that a test can hold each of them against the grammar.
#pragma once

#include <span>
#include <string_view>

namespace fastjournal::cli {

struct Example {
  std::string_view verb;      // "log verify" for a command below another
  std::string_view commands;  // one a line
};

// The line above them.
inline constexpr std::string_view kExample = "Example:";

[[nodiscard]] std::span<Example const> examples();

}  // namespace fastjournal::cli
