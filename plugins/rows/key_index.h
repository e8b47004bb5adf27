// From keys to rows: an extendible hash. Its segments are sorted by hash with gaps (linear probing in order), grow by a
// quarter of their size and split in two when they are full, so that no insert moves more than some thousand entries.
// Each entry has 32 bits of hash: growing and splitting read no row, and searching hardly ever reads a wrong one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/prefetch.h"
#include "plugins/rows/rows.h"

namespace fastjournal::rows {

class KeyIndex {
 public:
  KeyIndex() {
    segments_.push_back(Segment::make(kSlotsFirst, 0));
    room_ = segments_[0].room;
    directory_.push_back(0);
  }

  // The row of this hash for which is_it(row) holds, or kNoRow.
  template <typename IsIt>
  [[nodiscard]] std::uint32_t find(std::uint32_t hash, IsIt&& is_it) const {
    Segment const& segment = segments_[directory_[directory_slot(hash)]];
    for (std::uint32_t at = segment.home(hash);; ++at) {
      Slot const& slot = segment.slots[at];
      if (slot.row == kNoRow || slot.hash > hash) return kNoRow;
      if (slot.hash == hash && is_it(slot.row)) return slot.row;
    }
  }

  // Prefetches the memory that find and insert will read.
  void prefetch(std::uint32_t hash) const {
    Segment const& segment = segments_[directory_[directory_slot(hash)]];
    Slot const* const home = &segment.slots[segment.home(hash)];
    fastjournal::prefetch(home);
    // An insert searches the next gap, which is usually in another line.
    fastjournal::prefetch(home + kSlotsOfLine);
  }

  void insert(std::uint32_t hash, std::uint32_t row) {
    ++size_;
    for (;;) {
      std::uint32_t const number = directory_[directory_slot(hash)];
      Segment& segment = segments_[number];
      if (segment.insert({hash, row})) return;
      grow(number);
    }
  }

  void erase(std::uint32_t hash, std::uint32_t row) {
    std::uint32_t const number = directory_[directory_slot(hash)];
    Segment& segment = segments_[number];
    segment.erase(segment.place_of({hash, row}));
    --size_;
    if (segment.used * 4 < segment.size && segment.size > kSlotsFirst)
      resize(segment, std::max(kSlotsFirst, segment.size / 2));
  }

  void replace(std::uint32_t hash, std::uint32_t row, std::uint32_t by) {
    Segment& segment = segments_[directory_[directory_slot(hash)]];
    segment.slots[segment.place_of({hash, row})].row = by;
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  // The most rows of one hash, which a search may have to compare. For tests: reads everything.
  [[nodiscard]] std::uint32_t most_of_one_hash() const {
    std::uint32_t most = 0;
    for (Segment const& segment : segments_) {
      Slot const* last = nullptr;
      std::uint32_t alike = 0;
      for (std::uint32_t at = 0; at < segment.room; ++at) {
        Slot const& slot = segment.slots[at];
        if (slot.row == kNoRow) continue;
        alike = last != nullptr && last->hash == slot.hash ? alike + 1 : 1;
        last = &slot;
        most = std::max(most, alike);
      }
    }
    return most;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return segments_.capacity() * sizeof(Segment) + directory_.capacity() * sizeof(std::uint32_t) +
           room_ * sizeof(Slot);
  }

 private:
  struct Slot {
    std::uint32_t hash{0};
    std::uint32_t row{kNoRow};
  };

  static constexpr std::uint32_t kSlotsFirst = 16;
  static constexpr std::size_t kSlotsOfLine = 8;
  static constexpr std::uint32_t kSlotsMax = 8192;
  static constexpr unsigned kDepthMax = 24;

  struct Segment {
    std::unique_ptr<Slot[]> slots;
    std::uint32_t size{0};  // homes
    std::uint32_t room{0};  // slots: the last homes overflow to the right; the last one is always empty
    std::uint32_t used{0};
    std::uint32_t depth{0};  // leading bits that are equal in all hashes here

    static Segment make(std::uint32_t size, std::uint32_t depth) {
      Segment out;
      out.size = size;
      out.room = size + 8 + std::min(size / 8, 120U);
      out.slots = std::make_unique<Slot[]>(out.room);
      out.depth = depth;
      return out;
    }

    [[nodiscard]] std::uint32_t home(std::uint32_t hash) const {
      return static_cast<std::uint32_t>(std::uint64_t{hash << depth} * size >> 32U);
    }

    // False: there is no room; nothing is changed.
    bool insert(Slot entry) {
      if ((used + 1) * 10 > size * 9) return false;
      std::uint32_t at = home(entry.hash);
      while (slots[at].row != kNoRow && slots[at].hash <= entry.hash) ++at;
      std::uint32_t end = at;
      while (slots[end].row != kNoRow) ++end;
      if (end + 1 >= room) return false;
      std::move_backward(&slots[at], &slots[end], &slots[end] + 1);
      slots[at] = entry;
      ++used;
      return true;
    }

    [[nodiscard]] std::uint32_t place_of(Slot entry) const {
      std::uint32_t at = home(entry.hash);
      while (slots[at].row != entry.row) {
        FJ_CHECK(slots[at].row != kNoRow && slots[at].hash <= entry.hash, "a row is missing from the key index");
        ++at;
      }
      return at;
    }

    void erase(std::uint32_t at) {
      while (slots[at + 1].row != kNoRow && home(slots[at + 1].hash) <= at) {
        slots[at] = slots[at + 1];
        ++at;
      }
      slots[at] = Slot{};
      --used;
    }

    // Entries must come in the order of their hashes; false: the last ones do not fit.
    bool append(Slot entry, std::uint32_t& end) {
      std::uint32_t const at = std::max(home(entry.hash), end);
      if (at + 1 >= room) return false;
      slots[at] = entry;
      end = at + 1;
      ++used;
      return true;
    }

    void resize(std::uint32_t wanted) {
      for (;; wanted += wanted / 8 + 1) {
        Segment next = make(wanted, depth);
        std::uint32_t end = 0;
        bool fits = true;
        for (std::uint32_t at = 0; fits && at < room; ++at)
          if (slots[at].row != kNoRow) fits = next.append(slots[at], end);
        if (!fits) continue;
        *this = std::move(next);
        return;
      }
    }
  };

  // The first depth_ bits of the hash.
  [[nodiscard]] std::size_t directory_slot(std::uint32_t hash) const { return std::uint64_t{hash} >> (32U - depth_); }

  void grow(std::uint32_t number) {
    Segment& segment = segments_[number];
    std::uint32_t const wanted = segment.size + segment.size / 4 + 1;
    // Splitting cannot separate hashes with equal leading bits.
    if (wanted <= kSlotsMax || segment.depth == kDepthMax) {
      resize(segment, wanted);
      return;
    }
    split(number);
  }

  void resize(Segment& segment, std::uint32_t wanted) {
    room_ -= segment.room;
    segment.resize(wanted);
    room_ += segment.room;
  }

  void split(std::uint32_t number) {
    if (segments_[number].depth == depth_) {
      std::vector<std::uint32_t> twice(directory_.size() * 2);
      for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = directory_[i / 2];
      directory_ = std::move(twice);
      ++depth_;
    }
    Segment const old = std::move(segments_[number]);
    std::uint32_t const bit = 1U << (31U - old.depth);
    std::uint32_t right_count = 0;
    for (std::uint32_t at = 0; at < old.room; ++at)
      if (old.slots[at].row != kNoRow && (old.slots[at].hash & bit) != 0) ++right_count;
    Segment left = fill(old, bit, 0, old.used - right_count);
    Segment right = fill(old, bit, bit, right_count);
    room_ += left.room + right.room;
    room_ -= old.room;
    segments_[number] = std::move(left);
    auto const added = static_cast<std::uint32_t>(segments_.size());
    segments_.push_back(std::move(right));
    // The directory entries of the old segment are adjacent; the upper half now refers to the new one.
    std::size_t const span = std::size_t{1} << (depth_ - old.depth);
    std::size_t first = 0;
    while (directory_[first] != number) first += span;
    for (std::size_t i = first + span / 2; i < first + span; ++i) directory_[i] = added;
  }

  static Segment fill(Segment const& old, std::uint32_t bit, std::uint32_t wanted, std::uint32_t count) {
    for (std::uint32_t size = std::max(kSlotsFirst, count + count / 4);; size += size / 8 + 1) {
      Segment out = Segment::make(size, old.depth + 1);
      std::uint32_t end = 0;
      bool fits = true;
      for (std::uint32_t at = 0; fits && at < old.room; ++at)
        if (old.slots[at].row != kNoRow && (old.slots[at].hash & bit) == wanted) fits = out.append(old.slots[at], end);
      if (fits) return out;
    }
  }

  std::vector<Segment> segments_;
  std::vector<std::uint32_t> directory_;
  unsigned depth_{0};
  std::uint32_t size_{0};
  std::uint64_t room_{0};  // slots of all segments
};

}  // namespace fastjournal::rows
