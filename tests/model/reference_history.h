// What is left of rows that ended, and of attempts that failed, as plain as possible: a list, the oldest first. For the
// random lives of histories beside a table (tests/unit/journal/history_test.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace fastjournal::reference {

struct PastEntry {
  std::string row;
  std::string key;
  std::string end;  // done deleted expired failed attempt
  std::int64_t at{0};
  std::string attempt;  // which, or how many
  std::string worker;
  std::string result;
  std::string error;
  std::string value;
  std::string tags;

  bool operator==(PastEntry const&) const = default;
};

struct PastQuery {
  std::string row;
  std::string key;
  std::string end;
  std::string tag;
  std::string error;
  std::int64_t since{0};
  std::int64_t until{INT64_MAX};
};

class ReferenceHistory {
 public:
  void add(PastEntry entry) { all_.push_back(std::move(entry)); }
  [[nodiscard]] std::vector<PastEntry> const& all() const { return all_; }

  // The newest first.
  [[nodiscard]] std::vector<PastEntry> find(PastQuery const& query) const {
    std::vector<PastEntry> out;
    for (auto at = all_.rbegin(); at != all_.rend(); ++at) {
      bool const fits = (query.row.empty() || at->row == query.row) && (query.key.empty() || at->key == query.key) &&
                        (query.end.empty() || at->end == query.end) && at->at >= query.since && at->at <= query.until &&
                        (query.error.empty() || at->error.find(query.error) != std::string::npos) &&
                        (query.tag.empty() || ("," + at->tags + ",").find("," + query.tag + ",") != std::string::npos);
      if (fits) out.push_back(*at);
    }
    return out;
  }

 private:
  std::vector<PastEntry> all_;
};

}  // namespace fastjournal::reference
