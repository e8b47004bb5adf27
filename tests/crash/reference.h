// The plain model that a log is compared with: which records were appended, which of them were acknowledged, which base
// was requested. After every recovery check() returns what is wrong, or nothing.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/crash/log_world.h"

namespace fastjournal::log::file::test {

class Reference {
 public:
  void begin_group() { groups_.emplace_back(); }
  void add(Entry entry) {
    highest_given_ = std::max(highest_given_, entry.lsn);
    groups_.back().entries.push_back(std::move(entry));
  }
  // The base depends on everything appended so far: it may take effect once that is durable.
  void ask_base(Lsn base) { asked_.push_back({base, highest_given_}); }
  // Everything below `durable` was promised to be durable.
  void acknowledge(Lsn durable) {
    for (Group& group : groups_)
      if (group.entries.back().lsn < durable) group.acknowledged = true;
    for (Asked const& asked : asked_)
      if (asked.rests_on < durable) base_held_ = std::max(base_held_, asked.base);
    std::erase_if(asked_, [durable](Asked const& asked) { return asked.rests_on < durable; });
  }
  [[nodiscard]] bool is_empty() const { return groups_.empty(); }
  [[nodiscard]] Lsn last_lsn() const { return groups_.back().entries.back().lsn; }
  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  [[nodiscard]] Lsn lsn_of(std::size_t group) const { return groups_[group].entries.front().lsn; }

  // Empty if all is well; then the reference goes on with the records found.
  [[nodiscard]] std::string check(std::vector<Entry> const& found, FileLog const& log) {
    std::vector<Entry> all;
    std::size_t needed = 0;  // number of first entries that are promised
    std::vector<std::size_t> ends{0};
    for (Group const& group : groups_) {
      all.insert(all.end(), group.entries.begin(), group.entries.end());
      ends.push_back(all.size());
      if (group.acknowledged) needed = all.size();
    }
    // The records found are a contiguous part of those appended ...
    std::size_t first = all.size();
    if (!found.empty()) {
      first = static_cast<std::size_t>(std::find(all.begin(), all.end(), found.front()) - all.begin());
      if (first + found.size() > all.size() ||
          !std::equal(found.begin(), found.end(), all.begin() + static_cast<std::ptrdiff_t>(first)))
        return fmt::format("{} records were found that are no piece of the {} appended ones", found.size(), all.size());
    }
    std::size_t const end = found.empty() ? 0 : first + found.size();
    // ... that ends where a group ends ...
    if (!found.empty() && !std::binary_search(ends.begin(), ends.end(), end)) return "a part of a group was found";
    // A record that was never synced may have survived, and a base with it.
    for (Asked const& asked : asked_)
      if (!found.empty() && asked.rests_on <= found.back().lsn) base_held_ = std::max(base_held_, asked.base);
    asked_.clear();
    // ... and include every promised record at or above the base.
    for (std::size_t at = 0; at < needed; ++at)
      if (all[at].lsn >= base_held_ && (found.empty() || at < first || at >= end))
        return fmt::format("the acknowledged record at LSN {} is lost; base {}, found {} from LSN {}",
                           all[at].lsn.value, base_held_.value, found.size(),
                           found.empty() ? 0 : found.front().lsn.value);
    if (log.end_lsn() <= highest_given_) return fmt::format("LSN {} is given twice", log.end_lsn().value);
    if (log.durable_lsn() != log.end_lsn()) return "what was recovered is not durable";
    if (log.start() <= start_) return "the number of the start did not rise";
    start_ = log.start();
    go_on_with(end);
    base_held_ = log.base_lsn();
    if (!found.empty()) forget_below(found.front().lsn);
    return {};
  }

 private:
  struct Group {
    std::vector<Entry> entries;
    bool acknowledged{false};
  };

  // Lost records stay lost; those found are durable from now on.
  void go_on_with(std::size_t entries) {
    std::size_t kept = 0;
    std::size_t groups = 0;
    while (groups < groups_.size() && kept < entries) kept += groups_[groups++].entries.size();
    groups_.resize(groups);
    for (Group& group : groups_) group.acknowledged = true;
  }

  // Records before the first one found are below the base. If they are found later, that is an error.
  void forget_below(Lsn base) {
    auto const needed = [&](Group const& group) { return group.entries.back().lsn >= base; };
    groups_.erase(groups_.begin(), std::find_if(groups_.begin(), groups_.end(), needed));
  }

  struct Asked {
    Lsn base;
    Lsn rests_on;
  };

  std::vector<Group> groups_;
  std::vector<Asked> asked_;
  Lsn base_held_{};
  Lsn highest_given_{};
  std::uint32_t start_{0};
};

}  // namespace fastjournal::log::file::test
