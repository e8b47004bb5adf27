// See problems.h.
#include "config/problems.h"

#include <algorithm>

namespace fastjournal::config {

void Problems::add(int line, std::string what) {
  if (problems_.size() < kMax)
    problems_.push_back({line, std::move(what)});
  else
    has_more_ = true;
}

Status Problems::status() const {
  if (problems_.empty()) return {};
  std::vector<Problem> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(), [](Problem const& a, Problem const& b) { return a.line < b.line; });
  std::string text;
  for (Problem const& problem : sorted) {
    if (!text.empty()) text.append("\n");
    text.append(file_).append(":");
    if (problem.line > 0) text.append(std::to_string(problem.line)).append(":");
    text.append(" ").append(problem.what);
  }
  if (has_more_)
    text.append("\n").append(file_).append(": and more; these ").append(std::to_string(kMax)).append(" first");
  return {Code::bad_configuration, text};
}

}  // namespace fastjournal::config
