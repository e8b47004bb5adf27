// From row ids to rows, in the order of ids: LIST goes by it. Ids are places in
// the log, so new ones come at the end: a list of sorted leaves, filled one
// after the other, costs 8 bytes a row, and rows that were made together are
// found in the same few cache lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <absl/container/btree_map.h>
#include "base/check.h"
#include "plugins/journal/rows.h"

namespace fastjournal::journal {

class IdIndex {
 public:
  [[nodiscard]] std::uint32_t find(ObjectId id) const {
    std::uint64_t const key = id.value / kLsnAlign;
    auto leaf = leaves_.upper_bound(key);
    if (leaf == leaves_.begin()) return kNoRow;
    --leaf;
    std::uint64_t const delta = key - leaf->first;
    if (delta > UINT32_MAX) return kNoRow;
    std::uint32_t const at = leaf->second->lower_bound(static_cast<std::uint32_t>(delta));
    if (at == leaf->second->count || leaf->second->entries[at].delta != delta) return kNoRow;
    return leaf->second->entries[at].row;
  }

  // The id is not there yet.
  void insert(ObjectId id, std::uint32_t row) {
    std::uint64_t const key = id.value / kLsnAlign;
    auto found = leaves_.upper_bound(key);
    if (found == leaves_.begin()) {
      insert_first(key, row);
      return;
    }
    bool const last = found == leaves_.end();
    --found;
    Leaf* leaf = found->second.get();
    if (key - found->first > UINT32_MAX) {
      add_leaf(key, row);
      return;
    }
    auto const delta = static_cast<std::uint32_t>(key - found->first);
    std::uint32_t const at = leaf->lower_bound(delta);
    if (leaf->count < kLeafRows) {
      leaf->insert(at, delta, row);
      return;
    }
    // Behind the last one: a new leaf, and the full one stays full.
    if (last && at == kLeafRows) {
      add_leaf(key, row);
      return;
    }
    auto upper = std::make_unique<Leaf>();
    std::uint64_t const base = found->first;
    std::uint64_t const upper_base = base + leaf->entries[kLeafRows / 2].delta;
    upper->take(*leaf, kLeafRows / 2, kLeafRows, leaf->entries[kLeafRows / 2].delta);
    leaf->count = kLeafRows / 2;
    if (key >= upper_base) {
      auto const within = static_cast<std::uint32_t>(key - upper_base);
      upper->insert(upper->lower_bound(within), within, row);
    } else {
      leaf->insert(at, delta, row);
    }
    leaves_.emplace(upper_base, std::move(upper));
  }

  void erase(ObjectId id) {
    std::uint64_t const key = id.value / kLsnAlign;
    auto found = leaves_.upper_bound(key);
    FJ_CHECK(found != leaves_.begin(), "a row is missing from the id index");
    --found;
    Leaf& leaf = *found->second;
    auto const delta = static_cast<std::uint32_t>(key - found->first);
    std::uint32_t const at = leaf.lower_bound(delta);
    FJ_CHECK(at < leaf.count && leaf.entries[at].delta == delta, "a row is missing from the id index");
    leaf.erase(at);
    if (leaf.count == 0) {
      leaves_.erase(found);
    } else if (leaf.count < kLeafRows / 4) {
      join_next(found);
    }
  }

  // The first row whose id is above `after`, or kNoRow. For going through all: ask again with its id.
  [[nodiscard]] std::uint32_t next(ObjectId after) const {
    std::uint64_t const key = after.value / kLsnAlign + 1;
    auto leaf = leaves_.upper_bound(key);
    if (leaf != leaves_.begin()) {
      auto const before = std::prev(leaf);
      std::uint64_t const delta = key - before->first;
      if (delta <= UINT32_MAX) {
        std::uint32_t const at = before->second->lower_bound(static_cast<std::uint32_t>(delta));
        if (at < before->second->count) return before->second->entries[at].row;
      }
    }
    return leaf == leaves_.end() ? kNoRow : leaf->second->entries[0].row;
  }

  [[nodiscard]] std::uint64_t memory_bytes() const { return leaves_.size() * (sizeof(Leaf) + 40); }

 private:
  static constexpr std::uint32_t kLeafRows = 126;  // a leaf is 1012 bytes, with malloc's own 1 KiB

  struct Entry {
    std::uint32_t delta{0};  // from the leaf's base
    std::uint32_t row{0};
  };
  struct Leaf {
    std::uint32_t count{0};
    std::array<Entry, kLeafRows> entries{};  // ascending

    [[nodiscard]] std::uint32_t lower_bound(std::uint32_t delta) const {
      // All lines at once: one wait for memory instead of one for each step of the search.
      for (std::uint32_t at = 0; at < kLeafRows; at += 8) __builtin_prefetch(&entries[at]);
      auto const less = [](Entry const& entry, std::uint32_t wanted) { return entry.delta < wanted; };
      return static_cast<std::uint32_t>(std::lower_bound(entries.begin(), entries.begin() + count, delta, less) -
                                        entries.begin());
    }
    void insert(std::uint32_t at, std::uint32_t delta, std::uint32_t row) {
      std::move_backward(entries.begin() + at, entries.begin() + count, entries.begin() + count + 1);
      entries[at] = {delta, row};
      ++count;
    }
    void erase(std::uint32_t at) {
      std::move(entries.begin() + at + 1, entries.begin() + count, entries.begin() + at);
      --count;
    }
    // Appends entries of another leaf whose base is `less` below ours.
    void take(Leaf const& from, std::uint32_t first, std::uint32_t end, std::uint64_t less) {
      for (std::uint32_t i = first; i < end; ++i)
        entries[count++] = {static_cast<std::uint32_t>(from.entries[i].delta - less), from.entries[i].row};
    }
  };
  using Leaves = absl::btree_map<std::uint64_t, std::unique_ptr<Leaf>>;  // by base: at most the smallest id in it

  void add_leaf(std::uint64_t key, std::uint32_t row) {
    auto leaf = std::make_unique<Leaf>();
    leaf->insert(0, 0, row);
    leaves_.emplace(key, std::move(leaf));
  }

  // Below all that is there: into the first leaf, with a new base, if it has room.
  void insert_first(std::uint64_t key, std::uint32_t row) {
    auto const first = leaves_.begin();
    if (first == leaves_.end() || first->second->count == kLeafRows ||
        first->first + first->second->entries[first->second->count - 1].delta - key > UINT32_MAX) {
      add_leaf(key, row);
      return;
    }
    std::unique_ptr<Leaf> leaf = std::move(first->second);
    auto const more = static_cast<std::uint32_t>(first->first - key);
    leaves_.erase(first);
    for (std::uint32_t i = 0; i < leaf->count; ++i) leaf->entries[i].delta += more;
    leaf->insert(0, 0, row);
    leaves_.emplace(key, std::move(leaf));
  }

  void join_next(Leaves::iterator found) {
    auto const next = std::next(found);
    if (next == leaves_.end()) return;
    Leaf& leaf = *found->second;
    Leaf const& other = *next->second;
    std::uint64_t const apart = next->first - found->first;
    if (leaf.count + other.count > kLeafRows * 3 / 4 || apart + other.entries[other.count - 1].delta > UINT32_MAX)
      return;
    leaf.take(other, 0, other.count, -apart);
    leaves_.erase(next);
  }

  Leaves leaves_;
};

}  // namespace fastjournal::journal
