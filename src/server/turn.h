// The turn that is under way: how much of its budget is used, and what took its time. Owned by the server.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/env/clock.h"
#include "server/turn_budget.h"
#include "server/turn_record.h"

namespace fastjournal::server {

class Turn {
 public:
  explicit Turn(env::Clock& clock) : clock_(clock), budget_(clock) {}

  // Once for each turn, whatever comes first in it.
  void begin() {
    if (budget_.begin()) record_.begin(budget_.began_us());
  }
  void end_part(TurnRecord::Part part) { record_.end(part, clock_.monotonic_us()); }
  void end() {
    record_.end_turn();
    budget_.end();
  }

  [[nodiscard]] TurnBudget& budget() { return budget_; }
  [[nodiscard]] TurnRecord& record() { return record_; }
  [[nodiscard]] TurnRecord const& record() const { return record_; }

 private:
  env::Clock& clock_;
  TurnBudget budget_;
  TurnRecord record_;
};

}  // namespace fastjournal::server
