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
    if (at == leaf->second->count || leaf->second->deltas[at] != delta) return kNoRow;
    return leaf->second->rows[at];
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
    std::uint64_t const upper_base = base + leaf->deltas[kLeafRows / 2];
    upper->take(*leaf, kLeafRows / 2, kLeafRows, leaf->deltas[kLeafRows / 2]);
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
    FJ_CHECK(at < leaf.count && leaf.deltas[at] == delta, "a row is missing from the id index");
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
        if (at < before->second->count) return before->second->rows[at];
      }
    }
    return leaf == leaves_.end() ? kNoRow : leaf->second->rows[0];
  }

  [[nodiscard]] std::uint64_t memory_bytes() const { return leaves_.size() * (sizeof(Leaf) + 40); }

 private:
  static constexpr std::uint32_t kLeafRows = 126;  // a leaf is 1012 bytes, with malloc's own 1 KiB

  struct Leaf {
    std::uint32_t count{0};
    std::array<std::uint32_t, kLeafRows> deltas{};  // from the leaf's base, ascending
    std::array<std::uint32_t, kLeafRows> rows{};

    [[nodiscard]] std::uint32_t lower_bound(std::uint32_t delta) const {
      return static_cast<std::uint32_t>(std::lower_bound(deltas.begin(), deltas.begin() + count, delta) - deltas.begin());
    }
    void insert(std::uint32_t at, std::uint32_t delta, std::uint32_t row) {
      std::move_backward(deltas.begin() + at, deltas.begin() + count, deltas.begin() + count + 1);
      std::move_backward(rows.begin() + at, rows.begin() + count, rows.begin() + count + 1);
      deltas[at] = delta;
      rows[at] = row;
      ++count;
    }
    void erase(std::uint32_t at) {
      std::move(deltas.begin() + at + 1, deltas.begin() + count, deltas.begin() + at);
      std::move(rows.begin() + at + 1, rows.begin() + count, rows.begin() + at);
      --count;
    }
    // Appends entries of another leaf whose base is `less` below ours.
    void take(Leaf const& from, std::uint32_t first, std::uint32_t end, std::uint64_t less) {
      for (std::uint32_t i = first; i < end; ++i) {
        deltas[count] = static_cast<std::uint32_t>(from.deltas[i] - less);
        rows[count] = from.rows[i];
        ++count;
      }
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
        first->first + first->second->deltas[first->second->count - 1] - key > UINT32_MAX) {
      add_leaf(key, row);
      return;
    }
    std::unique_ptr<Leaf> leaf = std::move(first->second);
    auto const more = static_cast<std::uint32_t>(first->first - key);
    leaves_.erase(first);
    for (std::uint32_t i = 0; i < leaf->count; ++i) leaf->deltas[i] += more;
    leaf->insert(0, 0, row);
    leaves_.emplace(key, std::move(leaf));
  }

  void join_next(Leaves::iterator found) {
    auto const next = std::next(found);
    if (next == leaves_.end()) return;
    Leaf& leaf = *found->second;
    Leaf const& other = *next->second;
    std::uint64_t const apart = next->first - found->first;
    if (leaf.count + other.count > kLeafRows * 3 / 4 || apart + other.deltas[other.count - 1] > UINT32_MAX) return;
    leaf.take(other, 0, other.count, -apart);
    leaves_.erase(next);
  }

  Leaves leaves_;
};

}  // namespace fastjournal::journal
