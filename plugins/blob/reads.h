// GET and LIST.
#pragma once

#include "fastjournal/table.h"
#include "plugins/blob/table_state.h"

namespace fastjournal::blob {

class Reads {
 public:
  explicit Reads(TableState const& shared) : shared_(shared) {}

  Verdict get(Command const& command, Decision& decision) const;
  Verdict attach(Command const& command, Decision& decision) const;
  Verdict list(Command const& command, Decision& decision) const;

 private:
  void tell(Blob const& blob, bool is_newer, Answer& answer) const;
  [[nodiscard]] bool tells_newer() const;

  TableState const& shared_;
};

}  // namespace fastjournal::blob
