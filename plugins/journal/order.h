// The rows that are due, in the order of NEXT: (priority, process date, id).
//
// A priority has two lists, as two streams arrive in order: rows that were due
// when they came, and rows that the wheel gives out. What fits behind neither
// goes into a tree. A bitmap tells the first priority that has a list.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include <absl/container/btree_set.h>
#include "plugins/journal/rows.h"

namespace fastjournal::journal {

class Order {
 public:
  explicit Order(Rows& rows) : rows_(rows), tree_(Before{&rows}) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }

  // Sets the row's place.
  void push(std::uint32_t index) {
    Row& row = rows_[index];
    ++size_;
    if (lists_ == nullptr) lists_ = std::make_unique<std::array<Pair, 256>>();
    std::uint8_t const priority = row.priority();
    for (List& list : (*lists_)[priority]) {
      if (list.tail != kNoRow && !comes_before(rows_[list.tail], row)) continue;
      row.prev = list.tail;
      row.next = kNoRow;
      if (list.tail == kNoRow) {
        list.head = index;
        used_[priority / 64] |= 1ULL << (priority % 64);
      } else {
        rows_[list.tail].next = index;
      }
      list.tail = index;
      row.set_place(Place::listed);
      return;
    }
    row.set_place(Place::treed);
    tree_.insert(index);
  }

  // Date, priority and place must still be those of push().
  void erase(std::uint32_t index) {
    Row& row = rows_[index];
    --size_;
    if (row.place() == Place::treed) {
      tree_.erase(index);
      return;
    }
    std::uint8_t const priority = row.priority();
    Pair& pair = (*lists_)[priority];
    if (row.prev != kNoRow) {
      rows_[row.prev].next = row.next;
    } else {
      (pair[0].head == index ? pair[0] : pair[1]).head = row.next;
    }
    if (row.next != kNoRow) {
      rows_[row.next].prev = row.prev;
    } else {
      (pair[0].tail == index ? pair[0] : pair[1]).tail = row.prev;
    }
    if (pair[0].head == kNoRow && pair[1].head == kNoRow) used_[priority / 64] &= ~(1ULL << (priority % 64));
  }

  // What NEXT takes; kNoRow if nothing is due.
  [[nodiscard]] std::uint32_t first() const {
    std::uint32_t best = tree_.empty() ? kNoRow : *tree_.begin();
    for (std::size_t word = 0; word < used_.size(); ++word) {
      if (used_[word] == 0) continue;
      std::size_t const priority = word * 64 + static_cast<std::size_t>(std::countr_zero(used_[word]));
      for (List const& list : (*lists_)[priority])
        if (list.head != kNoRow && (best == kNoRow || Before{&rows_}(list.head, best))) best = list.head;
      break;
    }
    return best;
  }

  [[nodiscard]] std::uint64_t memory_bytes() const {
    return sizeof *this + (lists_ == nullptr ? 0 : sizeof *lists_) + tree_.size() * 6;
  }

 private:
  struct List {
    std::uint32_t head{kNoRow};
    std::uint32_t tail{kNoRow};
  };
  using Pair = std::array<List, 2>;

  struct Before {
    Rows const* rows;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      Row const& left = (*rows)[a];
      Row const& right = (*rows)[b];
      return left.priority() != right.priority() ? left.priority() < right.priority() : comes_before(left, right);
    }
  };

  Rows& rows_;
  std::unique_ptr<std::array<Pair, 256>> lists_;  // made with the first due row
  std::array<std::uint64_t, 4> used_{};
  absl::btree_set<std::uint32_t, Before> tree_;
  std::uint32_t size_{0};
};

}  // namespace fastjournal::journal
