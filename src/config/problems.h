// The problems of a file with their lines. All are collected, so that a file is corrected once and not error by error.
#pragma once

#include <string>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::config {

class Problems {
 public:
  // A file with more problems than this is not read to its end: a reload must not keep the daemon waiting.
  static constexpr std::size_t kMax = 20;

  explicit Problems(std::string file) : file_(std::move(file)) {}

  // Found, and expected. Line 0: the whole file.
  void add(int line, std::string what);

  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  // The search for further problems may stop.
  [[nodiscard]] bool is_full() const { return has_more_; }
  // ok, or bad_configuration with a line "FILE:LINE: what" per problem, in the order of the file.
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
