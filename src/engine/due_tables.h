// Which tables have to be looked at, and when: the next date of each, and those whose waiting clients are to be served
// at the end of this turn. Each change of a table is noted here. A table that is marked stays in memory until it was
// taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/due_heap.h"
#include "engine/hosted.h"
#include "engine/memory.h"

namespace fastjournal::engine {

class DueTables {
 public:
  explicit DueTables(Memory& memory) : memory_(memory) {}
  DueTables(DueTables const&) = delete;
  DueTables& operator=(DueTables const&) = delete;

  // The number of a new table.
  [[nodiscard]] std::uint32_t add() { return dates_.add(); }

  // The table changed: its next date and its memory.
  void refresh(HostedTable& table) {
    see(table);
    dates_.set(table.number, std::min(table.due, table.next_deadline()));
    memory_.changed(table);
  }
  // Its own next date alone, so that the table need not be asked for it.
  static void see(HostedTable& table) { table.due = table.next_due(); }
  void set_date(HostedTable const& table, TimeMs date) { dates_.set(table.number, date); }
  // It is about to be dropped.
  void forget(HostedTable& table) {
    memory_.forget(table);
    never(table);
  }
  void never(HostedTable const& table) { set_date(table, TimeMs::max()); }
  // Max: no table has one.
  [[nodiscard]] TimeMs first_date() const { return dates_.first_date(); }
  // The number of the table that has it.
  [[nodiscard]] std::uint32_t first() const { return dates_.first(); }

  // Its waiting clients may have to be notified.
  void mark(HostedTable& table) {
    if (table.marked) return;
    table.marked = true;
    marked_.push_back(&table);
  }
  // In the order in which they were marked; they stay marked.
  [[nodiscard]] std::vector<HostedTable*> take_marked() { return std::exchange(marked_, {}); }
  // These are first in the next turn.
  void put_back(std::span<HostedTable* const> tables) { marked_.insert(marked_.begin(), tables.begin(), tables.end()); }
  [[nodiscard]] bool has_marked() const { return !marked_.empty(); }

 private:
  Memory& memory_;
  DueHeap dates_;
  std::vector<HostedTable*> marked_;
};

}  // namespace fastjournal::engine
