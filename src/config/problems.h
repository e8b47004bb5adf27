// What is wrong with a file: the problems with their lines, so that a person
// mends a file in one go and not error by error.
#pragma once

#include <string>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::config {

class Problems {
 public:
  // A file with more problems than this is not looked through: a daemon that reads it again must not wait for it.
  static constexpr std::size_t kMax = 20;

  explicit Problems(std::string file) : file_(std::move(file)) {}

  // What was found, and what was expected. Line 0: the file as a whole.
  void add(int line, std::string what);

  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  // Whoever looks for more may stop.
  [[nodiscard]] bool is_full() const { return has_more_; }
  // ok, or bad_configuration with one "FILE:LINE: what" per line of text, in the order of the file.
  [[nodiscard]] Status status() const;

 private:
  struct Problem {
    int line;
    std::string what;
  };

  std::string file_;
  std::vector<Problem> problems_;
  bool has_more_{false};
};

}  // namespace fastjournal::config
