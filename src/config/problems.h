// What is wrong with a file: every problem with its line, so that a person
// mends a file in one go and not error by error.
#pragma once

#include <string>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::config {

class Problems {
 public:
  // A file with more problems than this is not worth more lines.
  static constexpr std::size_t kShownMax = 50;
  // They are found out of their order; beyond this they are counted only.
  static constexpr std::size_t kKeptMax = 1000;

  explicit Problems(std::string file) : file_(std::move(file)) {}

  // What was found, and what was expected. Line 0: the file as a whole.
  void add(int line, std::string what);

  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  // ok, or bad_configuration with one "FILE:LINE: what" per line of text, in the order of the file.
  [[nodiscard]] Status status() const;

 private:
  struct Problem {
    int line;
    std::string what;
  };

  std::string file_;
  std::vector<Problem> problems_;
  std::size_t not_kept_{0};
};

}  // namespace fastjournal::config
