// The due rows of one domain and class (order.h) in their order. Two lists, as there are two ordered streams: rows that
// are due when inserted, and rows from the timer wheel. Rows that fit at the end of neither are put into a tree.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <absl/container/btree_set.h>
#include "plugins/rows/rows.h"

namespace fastjournal::rows {

// The order within a queue: by priorities beyond those of headers, date and id; under aging a step of priority counts as
// so many ms.
struct QueueOrder {
  Rows const* rows;
  std::int64_t aging;
  bool by_number{false};  // dates do not count
  [[nodiscard]] std::int64_t date(Row const& row) const { return row.date() + row.priority() * aging; }
  [[nodiscard]] bool operator()(std::uint32_t a, std::uint32_t b) const {
    if (!rows->is_plain()) [[unlikely]]
      return is_before(a, b);
    Row const& first = (*rows)[a];
    Row const& second = (*rows)[b];
    std::int64_t const left = date(first);
    std::int64_t const right = date(second);
    return left != right ? left < right : first.id() < second.id();
  }

  // By what few tables have.
  [[nodiscard, gnu::cold, gnu::noinline]] bool is_before(std::uint32_t a, std::uint32_t b) const;
};

// Owned by its domain. A row's links, and its place (listed or treed), are those of its queue.
class Queue {
 public:
  Queue(std::uint32_t its_domain, std::uint8_t its_class) : domain(its_domain), klass(its_class) {}

  std::uint32_t const domain;
  std::uint8_t const klass;

  [[nodiscard]] std::uint32_t size() const { return size_; }
  // The first row; kNoRow: it is empty.
  [[nodiscard]] std::uint32_t head(QueueOrder order) const {
    std::uint32_t best = tree_ == nullptr || tree_->empty() ? kNoRow : *tree_->begin();
    for (List const& list : lists_)
      if (list.head != kNoRow && (best == kNoRow || order(list.head, best))) best = list.head;
    return best;
  }
  // The number of rows before this one, up to some more than `max`.
  [[nodiscard]] std::uint32_t count_before(std::uint32_t row, QueueOrder order, std::uint32_t max) const {
    return count_while([&](std::uint32_t at) { return order(at, row); }, *order.rows, max);
  }
  // Rows in front for which this holds, up to some more than `max`: of those behind them it must not hold.
  template <typename Holds>
  [[nodiscard]] std::uint32_t count_while(Holds const& holds, Rows const& rows, std::uint32_t max) const {
    std::uint32_t count = 0;
    for (List const& list : lists_)
      for (std::uint32_t at = list.head; at != kNoRow && holds(at) && count < max; at = rows[at].next) ++count;
    if (tree_ != nullptr)
      for (auto at = tree_->begin(); at != tree_->end() && holds(*at) && count < max; ++at) ++count;
    return count;
  }

  // Sets its place.
  void put(Rows& rows, std::uint32_t index, QueueOrder order) {
    ++size_;
    Row& row = rows[index];
    for (List& list : lists_) {
      if (list.tail != kNoRow && !order(list.tail, index)) continue;
      row.prev = list.tail;
      row.next = kNoRow;
      (list.tail == kNoRow ? list.head : rows[list.tail].next) = index;
      list.tail = index;
      row.set_place(Place::listed);
      return;
    }
    row.set_place(Place::treed);
    if (tree_ == nullptr) tree_ = std::make_unique<Tree>(order);
    tree_->insert(index);
  }
  // Its date, priority and place are still those of put().
  void take(Rows& rows, std::uint32_t index) {
    --size_;
    Row const& row = rows[index];
    if (row.place() == Place::treed) {
      tree_->erase(index);
      if (tree_->empty()) tree_.reset();
      return;
    }
    if (row.prev != kNoRow) {
      rows[row.prev].next = row.next;
    } else {
      (lists_[0].head == index ? lists_[0] : lists_[1]).head = row.next;
    }
    if (row.next != kNoRow) {
      rows[row.next].prev = row.prev;
    } else {
      (lists_[0].tail == index ? lists_[0] : lists_[1]).tail = row.prev;
    }
  }

 private:
  friend class Turns;  // the ring is its own

  using Tree = absl::btree_set<std::uint32_t, QueueOrder>;
  struct List {
    std::uint32_t head{kNoRow};
    std::uint32_t tail{kNoRow};
  };

  std::array<List, 2> lists_{};
  std::unique_ptr<Tree> tree_{};  // made when first needed
  std::uint32_t size_{0};
  std::uint32_t credit_{0};  // rows left in its turn
  Queue* next_{nullptr};     // ring of the queues that take turns; null: not in it
  Queue* prev_{nullptr};
};

}  // namespace fastjournal::rows
