// Which table is due first. One entry a table, changed in O(log n) whenever a table's next date changes, so that ten
// thousand idle tables cost a turn nothing.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fastjournal/types.h"

namespace fastjournal::engine {

class DueHeap {
 public:
  // Members are 0 .. n-1. A new member has no date, nor has one without an owner.
  std::uint32_t add() {
    auto const member = static_cast<std::uint32_t>(dates_.size());
    dates_.push_back(TimeMs::max());
    places_.push_back(static_cast<std::uint32_t>(heap_.size()));
    heap_.push_back(member);
    return member;
  }

  void set(std::uint32_t member, TimeMs date) {
    TimeMs const before = dates_[member];
    if (date == before) return;
    dates_[member] = date;
    if (date < before) {
      rise(places_[member]);
    } else {
      sink(places_[member]);
    }
  }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::uint32_t first() const { return heap_.front(); }
  [[nodiscard]] TimeMs first_date() const { return heap_.empty() ? TimeMs::max() : dates_[heap_.front()]; }

 private:
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const { return dates_[heap_[a]] < dates_[heap_[b]]; }
  void exchange(std::uint32_t a, std::uint32_t b) {
    std::swap(heap_[a], heap_[b]);
    places_[heap_[a]] = a;
    places_[heap_[b]] = b;
  }
  void rise(std::uint32_t at) {
    while (at > 0 && before(at, (at - 1) / 2)) {
      exchange(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }
  void sink(std::uint32_t at) {
    for (;;) {
      std::uint32_t least = at;
      for (std::uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child)
        if (before(child, least)) least = child;
      if (least == at) return;
      exchange(at, least);
      at = least;
    }
  }

  std::vector<TimeMs> dates_;          // by member
  std::vector<std::uint32_t> places_;  // by member: where in heap_
  std::vector<std::uint32_t> heap_;
};

}  // namespace fastjournal::engine
