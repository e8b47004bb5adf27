// A log beside its reference: what was appended, what of it was acknowledged,
// which base was asked for. After every recovery check() holds one against the
// other and says what is wrong, or nothing.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/unit/storage/log_world.h"

namespace fastjournal::storage::test {

class Reference {
 public:
  void begin_group() { groups_.emplace_back(); }
  void add(Entry entry) {
    highest_given_ = std::max(highest_given_, entry.lsn);
    groups_.back().entries.push_back(std::move(entry));
  }
  // Rests on everything appended so far: it may take hold once that is there.
  void ask_base(Lsn base) { asked_.push_back({base, highest_given_}); }
  // Everything below `durable` was promised to last.
  void acknowledge(Lsn durable) {
    for (Group& group : groups_)
      if (group.entries.back().lsn < durable) group.acknowledged = true;
    for (Asked const& asked : asked_) base_held_ = std::max(base_held_, asked.base);
    asked_.clear();
  }
  [[nodiscard]] bool is_empty() const { return groups_.empty(); }
  [[nodiscard]] Lsn last_lsn() const { return groups_.back().entries.back().lsn; }
  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  [[nodiscard]] Lsn lsn_of(std::size_t group) const { return groups_[group].entries.front().lsn; }

  // Empty: all is well, and the reference goes on with what was found.
  [[nodiscard]] std::string check(std::vector<Entry> const& found, FileLog const& log) {
    std::vector<Entry> all;
    std::size_t needed = 0;  // entries that a promise covers, counted from the front
    std::vector<std::size_t> ends{0};
    for (Group const& group : groups_) {
      all.insert(all.end(), group.entries.begin(), group.entries.end());
      ends.push_back(all.size());
      if (group.acknowledged) needed = all.size();
    }
    // What was found is one unbroken piece of what was appended ...
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
    // What was never synced may have survived, and a base with it.
    for (Asked const& asked : asked_)
      if (!found.empty() && asked.rests_on <= found.back().lsn) base_held_ = std::max(base_held_, asked.base);
    asked_.clear();
    // ... and holds everything promised that the base does not give up.
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
    return {};
  }

 private:
  struct Group {
    std::vector<Entry> entries;
    bool acknowledged{false};
  };

  // What is dead stays dead; what was found is durable from now on.
  void go_on_with(std::size_t entries) {
    std::size_t kept = 0;
    std::size_t groups = 0;
    while (groups < groups_.size() && kept < entries) kept += groups_[groups++].entries.size();
    groups_.resize(groups);
    for (Group& group : groups_) group.acknowledged = true;
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

// A log that is worked on by letters, with its reference.
class Scenario {
 public:
  // p put; b put that spans blocks; g group of three; w put, promised `written` only; m move the base
  // to the last record; d append, move the base to it, commit; s stamp; c chores; k kill
  // and open; q seal and open.
  static constexpr std::string_view kSteps = "pbgwmdsckq";

  Scenario() = default;
  explicit Scenario(sim::SimDisk::Options options) : world(options) {}

  // False once something failed: the power is gone, or a failure was injected.
  bool step(char letter) {
    switch (letter) {
      case 'p': return put(40 + serial_ % 7, 1, Promise::synced);
      case 'b': return put(1300, 1, Promise::synced);
      case 'g': return put(200, 3, Promise::synced);
      case 'w': return put(60, 1, Promise::written);
      case 'm':
        if (!reference.is_empty()) move_base(reference.last_lsn());
        return true;
      case 'd': return append(50, 1, Promise::synced) && (move_base(reference.last_lsn()), commit());
      case 's': return world.log->stamp().ok() && acknowledged();
      case 'c': world.log->run_chores(); return world.log->error().ok();
      case 'k':
        world.log.reset();
        world.disk.kill();
        return open();
      case 'q': return world.log->seal().ok() && acknowledged() && open();
      default: return false;
    }
  }

  bool put(std::size_t bytes, int records, Promise promise) { return append(bytes, records, promise) && commit(); }

  bool append(std::size_t bytes, int records, Promise promise) {
    if (!world.log->reserve(bytes * static_cast<std::size_t>(records), false)) return false;
    reference.begin_group();
    for (int i = 0; i < records; ++i) {
      std::string const body = pattern(bytes, ++serial_);
      Lsn const lsn = world.append(body);
      reference.add({lsn, object_of(lsn), static_cast<TableId>(7), 3, 1, body});
    }
    world.log->end_group(promise);
    return true;
  }
  bool commit() { return world.log->commit().ok() && acknowledged(); }
  bool acknowledged() {
    if (world.log->durable_lsn() == world.log->end_lsn()) reference.acknowledge(world.log->end_lsn());
    return true;
  }
  void move_base(Lsn base) {
    world.log->set_base(base);
    reference.ask_base(base);
    static_cast<void>(acknowledged());
  }
  // Opens and checks; a complaint stays in `complaint`.
  bool open() {
    status = world.open();
    if (!status.ok()) return false;
    if (getenv("DBG"))
      fprintf(stderr, "open start %u base %lu end %lu cut %lu %s given %lu n %zu newbase %lu\n", world.report.start,
              world.report.base.value, world.report.end.value, world.report.cut_at.value,
              world.report.cut_reason.c_str(), world.found.base_given.value, world.found.entries.size(),
              world.log->base_lsn().value);
    complaint = reference.check(world.found.entries, *world.log);
    return complaint.empty();
  }

  World world;
  Reference reference;
  Status status;
  std::string complaint;

 private:
  std::uint64_t serial_{0};
};

}  // namespace fastjournal::storage::test
