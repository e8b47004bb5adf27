// BROWSE, READ and WHY.
#pragma once

#include "fastjournal/table.h"
#include "plugins/queue/table_state.h"

namespace fastjournal::queue {

// Of one table, beside what it shares, which outlives it.
class Reads {
 public:
  explicit Reads(TableState const& shared) : shared_(shared) {}

  Verdict browse(Command const& command, Decision& decision) const;
  Verdict read(Command const& command, Decision& decision) const;
  Verdict why(Command const& command, Decision& decision) const;

 private:
  // The message, or kNoRow and a status.
  [[nodiscard]] std::uint32_t find(ObjectId id, Decision& decision) const;

  TableState const& shared_;
};

}  // namespace fastjournal::queue
