// One C++ file as the checks of the house see it: tokens and includes with
// their lines, without comments and the insides of literals. There is no compiler:
// the checks are simple enough for a reader of tokens, so they take milliseconds
// and need only the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::house {

// What a check found. Line 0: the file as a whole.
struct Finding {
  std::string file;
  int line{0};
  std::string what;
};

struct Token {
  std::string text;  // identifier, number, "::", "->", one other character; a literal is `""`
  int line{0};
};

struct Include {
  std::string name;
  bool angled{false};
  int line{0};
};

struct Source {
  std::string path;  // from the root, with "/"
  std::vector<std::string> lines;
  std::vector<Token> tokens;
  std::vector<Include> includes;
};

[[nodiscard]] Source read_source(std::string_view path, std::string_view text);

[[nodiscard]] std::vector<std::string> split_lines(std::string_view text);
[[nodiscard]] bool is_identifier(std::string_view token);
// "src/engine/engine.cpp" -> "src/engine"
[[nodiscard]] std::string folder_of(std::string_view path);

}  // namespace fastjournal::house
