// The rows of each tag by their number, of tables that ask for it. Follows from the extras of rows, so it is in no record
// and no digest. Ordered, not hashed: clients choose the words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <absl/container/btree_set.h>
#include "fastjournal/types.h"
#include "plugins/rows/extras.h"

namespace fastjournal::rows {

class TagIndex {
 public:
  void add(std::string_view tags, ObjectId row) {
    each_tag(tags, [&](std::string_view tag) {
      auto found = rows_.find(tag);
      if (found == rows_.end()) {
        found = rows_.emplace(std::string{tag}, Set{}).first;
        text_bytes_ += tag.size();
      }
      entries_ += found->second.insert(row.value).second ? 1 : 0;
    });
  }
  void remove(std::string_view tags, ObjectId row) {
    each_tag(tags, [&](std::string_view tag) {
      auto const found = rows_.find(tag);
      if (found == rows_.end()) return;
      entries_ -= found->second.erase(row.value);
      if (!found->second.empty()) return;
      text_bytes_ -= tag.size();
      rows_.erase(found);
    });
  }
  // The first row behind this one; none: there is no more.
  [[nodiscard]] ObjectId next(std::string_view tag, ObjectId after) const {
    auto const found = rows_.find(tag);
    if (found == rows_.end()) return {};
    auto const row = found->second.upper_bound(after.value);
    return row == found->second.end() ? ObjectId{} : ObjectId{*row};
  }
  [[nodiscard]] std::uint64_t size() const { return entries_; }
  // Nodes of the set are two thirds full; a tag is a node of the map.
  [[nodiscard]] std::uint64_t memory_bytes() const { return entries_ * 12 + rows_.size() * kTagBytes + text_bytes_; }

 private:
  using Set = absl::btree_set<std::uint64_t>;
  static constexpr std::uint64_t kTagBytes = 136 + sizeof(Set);

  std::map<std::string, Set, std::less<>> rows_;
  std::uint64_t entries_{0};
  std::uint64_t text_bytes_{0};
};

}  // namespace fastjournal::rows
