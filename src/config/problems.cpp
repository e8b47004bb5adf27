// See problems.h.
#include "config/problems.h"

#include <algorithm>

namespace fastjournal::config {

void Problems::add(int line, std::string what) {
  if (problems_.size() < kKeptMax)
    problems_.push_back({line, std::move(what)});
  else
    ++not_kept_;
}

Status Problems::status() const {
  if (problems_.empty()) return {};
  std::vector<Problem> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(), [](Problem const& a, Problem const& b) { return a.line < b.line; });
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < kShownMax; ++i) {
    if (i > 0) text.append("\n");
    text.append(file_).append(":");
    if (sorted[i].line > 0) text.append(std::to_string(sorted[i].line)).append(":");
    text.append(" ").append(sorted[i].what);
  }
  if (sorted.size() > kShownMax)
    text.append("\n")
        .append(file_)
        .append(": and ")
        .append(std::to_string(sorted.size() - kShownMax + not_kept_))
        .append(" more");
  return {Code::bad_configuration, text};
}

}  // namespace fastjournal::config
