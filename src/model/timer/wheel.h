// A hierarchical timer wheel over entries stored elsewhere: an entry is a u32, and its links and its date are in the
// owner's own structure (a row's header). So a million waiting rows cost no memory here.
//
// Eight levels of 64 slots cover every date of 48 bits. An entry is on the level of the highest six-bit digit in which
// its date differs from now(), in the slot of that digit. So all entries of a level are due before those of the next
// level, and slots of a level are in order. When a slot's time begins, its entries are moved to the levels below, a few
// at a time (`budget`): nothing here takes long because many entries have the same date. There is no clock and no
// ticking.
//
// Links, given by the owner:
//   std::uint32_t next(e), prev(e); void set_next(e, v), set_prev(e, v);
//   std::int64_t date(e);           // unchanged while the entry is in the wheel
//   bool before(a, b);              // order of entries of one date
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "fastjournal/types.h"

namespace fastjournal::timer {

inline constexpr std::uint32_t kNoEntry = UINT32_MAX;
// Dates of 48 bits reach the year 10889.
inline constexpr std::int64_t kDateMax = (std::int64_t{1} << 48) - 1;

template <typename Links>
class Wheel {
 public:
  explicit Wheel(Links links) : links_(std::move(links)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] TimeMs now() const { return TimeMs{now_}; }

  // The initial time of an empty wheel: dates are placed relative to it.
  void start(TimeMs now) {
    FJ_CHECK(size_ == 0, "a wheel that holds entries cannot start again");
    now_ = now.value;
  }

  // The entry's date must be above now() and at most kDateMax.
  void set(std::uint32_t entry) {
    FJ_CHECK(links_.date(entry) > now_ && links_.date(entry) <= kDateMax, "a date outside the wheel");
    place(entry);
    ++size_;
  }

  void cancel(std::uint32_t entry) {
    std::uint32_t const next = links_.next(entry);
    if (drain_ == entry) {
      drain_ = next == entry ? kNoEntry : next;
    } else {
      auto const [level, slot] = position(links_.date(entry));
      Level* const at = levels_[level].get();
      if (at != nullptr && at->heads[slot] == entry) {
        at->heads[slot] = next == entry ? kNoEntry : next;
        if (next == entry) at->used &= ~(1ULL << slot);
      }
      // The remaining entries of the slot may be later than its noted first date.
      if (at != nullptr && (at->used >> slot & 1U) != 0 && at->first[slot] == links_.date(entry))
        at->loose |= 1ULL << slot;
    }
    std::uint32_t const prev = links_.prev(entry);
    links_.set_next(prev, next);
    links_.set_prev(next, prev);
    --size_;
  }

  // The next time advance() has something to do. Never late; early only where the first entry of a slot was cancelled,
  // or while work is left over. TimeMs::max(): never.
  [[nodiscard]] TimeMs next_due() const {
    if (size_ == 0) return TimeMs::max();
    if (drain_ != kNoEntry) return TimeMs{now_};
    std::size_t const level = lowest_level();
    if (level == kLevels) return TimeMs::max();
    return TimeMs{levels_[level]->first[first_slot(level)]};
  }

  // The earliest date in the wheel. Exact, unless the first entry of a slot was cancelled and the slot has more than
  // kLookMax others: then early.
  [[nodiscard]] TimeMs first_date() const {
    if (drain_ != kNoEntry) return TimeMs{now_};
    std::size_t const level = lowest_level();
    if (level == kLevels) return TimeMs::max();
    std::size_t const slot = first_slot(level);
    Level const& at = *levels_[level];
    if ((at.loose >> slot & 1U) == 0) return TimeMs{at.first[slot]};
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::uint32_t entry = at.heads[slot];
    for (std::size_t looked = 0; looked < kLookMax; ++looked) {
      first = std::min(first, links_.date(entry));
      entry = links_.next(entry);
      if (entry == at.heads[slot]) return TimeMs{first};
    }
    return TimeMs{at.first[slot]};
  }

  // Removes the entries due up to `to` and calls due(entry) for each: dates in order, entries of one date as before()
  // says (if they are at most kSortMax). Moves or removes at most `budget` entries; true if more remains to be done.
  template <typename Due>
  bool advance(TimeMs to, std::size_t budget, Due&& due) {
    for (;;) {
      while (drain_ != kNoEntry) {
        if (budget == 0) return true;
        --budget;
        std::uint32_t const entry = pop_drain();
        if (drains_due_) {
          --size_;
          due(entry);
        } else {
          place(entry);
        }
      }
      std::size_t const level = lowest_level();
      std::size_t const slot = level == kLevels ? 0 : first_slot(level);
      if (level == kLevels || slot_start(level, slot) > to.value) {
        now_ = std::max(now_, to.value);
        return false;
      }
      now_ = slot_start(level, slot);
      begin_drain(level, slot);
    }
  }

  // Of the wheel itself, without the owner's links.
  [[nodiscard]] std::size_t memory_bytes() const { return sizeof *this + levels_made_ * sizeof(Level); }

  static constexpr std::size_t kLookMax = 1024;
  static constexpr std::size_t kSortMax = 4096;

 private:
  static constexpr unsigned kDigitBits = 6;
  static constexpr std::size_t kSlots = 64;
  static constexpr std::size_t kLevels = 8;

  // Slots are rings: the head's prev is the tail, so that entries keep their order of arrival.
  struct Level {
    std::uint64_t used{0};
    std::uint64_t loose{0};  // `first` may be early: its entry was cancelled
    std::array<std::uint32_t, kSlots> heads{};
    std::array<std::int64_t, kSlots> first{};
  };

  [[nodiscard]] std::pair<std::size_t, std::size_t> position(std::int64_t date) const {
    auto const differ = static_cast<std::uint64_t>(date ^ now_);
    std::size_t const level = differ == 0 ? 0 : (static_cast<std::size_t>(std::bit_width(differ)) - 1) / kDigitBits;
    return {level, static_cast<std::size_t>(date >> (level * kDigitBits)) & (kSlots - 1)};
  }

  void place(std::uint32_t entry) {
    std::int64_t const date = links_.date(entry);
    auto const [level, slot] = position(date);
    if (levels_[level] == nullptr) {
      levels_[level] = std::make_unique<Level>();
      ++levels_made_;
    }
    Level& at = *levels_[level];
    if ((at.used >> slot & 1U) == 0) {
      at.used |= 1ULL << slot;
      at.loose &= ~(1ULL << slot);
      at.first[slot] = date;
      at.heads[slot] = entry;
      links_.set_next(entry, entry);
      links_.set_prev(entry, entry);
      return;
    }
    if (date <= at.first[slot]) {
      at.first[slot] = date;
      at.loose &= ~(1ULL << slot);
    }
    std::uint32_t const head = at.heads[slot];
    std::uint32_t const tail = links_.prev(head);
    links_.set_next(entry, head);
    links_.set_prev(entry, tail);
    links_.set_next(tail, entry);
    links_.set_prev(head, entry);
  }

  [[nodiscard]] std::size_t lowest_level() const {
    for (std::size_t level = 0; level < kLevels; ++level)
      if (levels_[level] != nullptr && levels_[level]->used != 0) return level;
    return kLevels;
  }
  [[nodiscard]] std::size_t first_slot(std::size_t level) const {
    return static_cast<std::size_t>(std::countr_zero(levels_[level]->used));
  }
  [[nodiscard]] std::int64_t slot_start(std::size_t level, std::size_t slot) const {
    std::size_t const shift = level * kDigitBits;
    std::int64_t const above = now_ >> (shift + kDigitBits) << (shift + kDigitBits);
    return above | static_cast<std::int64_t>(slot) << shift;
  }

  void begin_drain(std::size_t level, std::size_t slot) {
    Level& at = *levels_[level];
    at.used &= ~(1ULL << slot);
    drain_ = at.heads[slot];
    drains_due_ = level == 0;
    if (drains_due_) sort_drain();
  }

  // Moving entries down may change their order: entries of one date are sorted as before() says.
  void sort_drain() {
    bool sorted = true;
    scratch_.clear();
    std::uint32_t entry = drain_;
    do {
      if (scratch_.size() == kSortMax) return;
      if (!scratch_.empty() && links_.before(entry, scratch_.back())) sorted = false;
      scratch_.push_back(entry);
      entry = links_.next(entry);
    } while (entry != drain_);
    if (sorted) return;
    std::sort(scratch_.begin(), scratch_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return links_.before(a, b); });
    for (std::size_t i = 0; i < scratch_.size(); ++i) {
      std::uint32_t const next = scratch_[i + 1 == scratch_.size() ? 0 : i + 1];
      links_.set_next(scratch_[i], next);
      links_.set_prev(next, scratch_[i]);
    }
    drain_ = scratch_.front();
  }

  std::uint32_t pop_drain() {
    std::uint32_t const entry = drain_;
    std::uint32_t const next = links_.next(entry);
    std::uint32_t const prev = links_.prev(entry);
    links_.set_next(prev, next);
    links_.set_prev(next, prev);
    drain_ = next == entry ? kNoEntry : next;
    return entry;
  }

  Links links_;
  std::array<std::unique_ptr<Level>, kLevels> levels_{};  // made on first use
  std::size_t levels_made_{0};
  std::int64_t now_{0};  // every entry's date is above it, except entries being drained
  std::size_t size_{0};
  std::uint32_t drain_{kNoEntry};  // the ring being emptied
  bool drains_due_{false};         // the ring has entries of the date now_
  std::vector<std::uint32_t> scratch_;
};

}  // namespace fastjournal::timer
