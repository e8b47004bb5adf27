// A table type's reactions to a record of its rows beside the state: statistics, alerts, counts of its own. It derives
// from NoEffects and names those that it wants; the others are empty, and all are called directly (apply.h).
#pragma once

#include <cstdint>

#include "fastjournal/table.h"
#include "plugins/rows/records.h"

namespace fastjournal::rows {

class NoEffects {
 public:
  // A row begins. One that is compacted does not.
  void added(ObjectId, ApplyContext const&) {}
  // An insert was merged into it.
  void merged(std::uint32_t /*row*/, ApplyContext const&) {}
  // It is about to be leased, from that date on.
  void leasing(std::uint32_t /*row*/, std::int64_t /*began*/, ApplyContext const&) {}
  // It was parked, and is about to wait again.
  void unparking(std::uint32_t /*row*/) {}
  // It waits again. `counted`: after an attempt.
  void returned(std::uint32_t /*row*/, bool /*counted*/, ApplyContext const&, TableObserver&) {}
  // It is about to end in its waiting twin.
  void folding(std::uint32_t /*row*/, std::uint32_t /*twin*/, TableObserver&) {}
  // It is about to be parked, and is.
  void parking(std::uint32_t /*row*/, TableObserver&) {}
  void parked(std::uint32_t /*row*/, ApplyContext const&, TableObserver&) {}
  // It is held.
  void held(std::uint32_t /*row*/, ApplyContext const&, TableObserver&) {}
  // It is about to end.
  void removing(std::uint32_t /*row*/, RemoveBody const&, ApplyContext const&, TableObserver&) {}
  // A row was done, or given up: also one that a replay does not know any more.
  void ended(Reason) {}
  // It is about to move to another domain, where it waits; and has moved.
  void moving(std::uint32_t /*row*/, TableObserver&) {}
  void moved(std::uint32_t /*row*/, ApplyContext const&, TableObserver&) {}
  // The last one that was parked is not any more.
  void none_parked(TableObserver&) {}
  // The clock was `from`: later dates than `to` of what has been are `to`.
  void clock_lowered(std::int64_t /*from*/, std::int64_t /*to*/, TableObserver&) {}
};

}  // namespace fastjournal::rows
