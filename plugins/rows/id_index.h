// From row ids to rows, in the order of ids, for LIST. Ids are places in the log, so new ones are added at the end: a
// list of sorted leaves, filled one after the other, costs 8 bytes a row, and rows inserted together share a few cache
// lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <absl/container/btree_map.h>
#include "base/check.h"
#include "base/prefetch.h"
#include "plugins/rows/rows.h"

namespace fastjournal::rows {

class IdIndex {
 public:
  [[nodiscard]] std::uint32_t find(ObjectId id) const {
    std::uint64_t const key = id.value / kLsnAlign;
    if (!found_.covers(key) && !look(key)) return kNoRow;
    std::uint64_t const delta = key - found_.base;
    if (delta > UINT32_MAX) return kNoRow;
    Leaf const& leaf = *found_.leaf;
    std::uint32_t const at = leaf.lower_bound(static_cast<std::uint32_t>(delta));
    return at == leaf.count || leaf.entries[at].delta != delta ? kNoRow : leaf.entries[at].row;
  }

  // Requires that the id is not in the index.
  void insert(ObjectId id, std::uint32_t row) {
    std::uint64_t const key = id.value / kLsnAlign;
    if (last_.leaf != nullptr && last_.leaf->takes_behind(key - last_.base)) {
      last_.leaf->insert(last_.leaf->count, static_cast<std::uint32_t>(key - last_.base), row);
      return;
    }
    insert_anywhere(key, row);
    forget();
  }

  void erase(ObjectId id) {
    std::uint64_t const key = id.value / kLsnAlign;
    FJ_CHECK(found_.covers(key) || look(key), "a row is missing from the id index");
    Leaf& leaf = *found_.leaf;
    auto const delta = static_cast<std::uint32_t>(key - found_.base);
    std::uint32_t const at = leaf.lower_bound(delta);
    FJ_CHECK(at < leaf.count && leaf.entries[at].delta == delta, "a row is missing from the id index");
    leaf.erase(at);
    if (leaf.count >= kLeafRows / 4) return;
    auto const place = leaves_.find(found_.base);
    if (leaf.count == 0) {
      leaves_.erase(place);
    } else if (!join_next(place)) {
      return;
    }
    forget();
  }

  // The first row whose id is above `after`, or kNoRow. To iterate, call it again with that id.
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
      // Fetches all lines at once: one wait for memory instead of one for each step of the search.
      for (std::uint32_t at = 0; at < kLeafRows; at += 8) prefetch(&entries[at]);
      auto const less = [](Entry const& entry, std::uint32_t wanted) { return entry.delta < wanted; };
      return static_cast<std::uint32_t>(std::lower_bound(entries.begin(), entries.begin() + count, delta, less) -
                                        entries.begin());
    }
    // Has room, and all its rows precede that one.
    [[nodiscard]] bool takes_behind(std::uint64_t delta) const {
      return count < kLeafRows && delta <= UINT32_MAX && count > 0 && entries[count - 1].delta < delta;
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

  // One leaf, and the keys that would be in it.
  struct Range {
    Leaf* leaf{nullptr};
    std::uint64_t base{0};
    std::uint64_t last{0};

    [[nodiscard]] bool covers(std::uint64_t key) const { return leaf != nullptr && key >= base && key <= last; }
  };

  // Sets found_ to the leaf of the key; false: it is below all.
  bool look(std::uint64_t key) const {
    auto const next = leaves_.upper_bound(key);
    if (next == leaves_.begin()) return false;
    auto const found = std::prev(next);
    found_ = {found->second.get(), found->first, next == leaves_.end() ? UINT64_MAX : next->first - 1};
    return true;
  }

  // After leaves were added or removed.
  void forget() {
    found_ = {};
    last_ = leaves_.empty() ? Range{} : Range{leaves_.rbegin()->second.get(), leaves_.rbegin()->first, UINT64_MAX};
  }

  void insert_anywhere(std::uint64_t key, std::uint32_t row) {
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
    // At the end: a new leaf, and the full one stays full.
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

  void add_leaf(std::uint64_t key, std::uint32_t row) {
    auto leaf = std::make_unique<Leaf>();
    leaf->insert(0, 0, row);
    leaves_.emplace(key, std::move(leaf));
  }

  // Below all others: into the first leaf, with a new base, if it has room.
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

  // False: they are too full for one.
  bool join_next(Leaves::iterator found) {
    auto const next = std::next(found);
    if (next == leaves_.end()) return false;
    Leaf& leaf = *found->second;
    Leaf const& other = *next->second;
    std::uint64_t const apart = next->first - found->first;
    if (leaf.count + other.count > kLeafRows * 3 / 4 || apart + other.entries[other.count - 1].delta > UINT32_MAX)
      return false;
    leaf.take(other, 0, other.count, -apart);
    leaves_.erase(next);
    return true;
  }

  Leaves leaves_;
  // Rows inserted together are used together, and new ones are added at the end: two leaves are remembered.
  mutable Range found_;  // the leaf of the last search
  Range last_;           // of all
};

}  // namespace fastjournal::rows
