// LOCK and UNLOCK: one connection at a time may change the value.
#pragma once

#include "fastjournal/table.h"
#include "plugins/keyvalue/table_state.h"

namespace fastjournal::keyvalue {

class Locks {
 public:
  explicit Locks(TableState const& shared) : shared_(shared) {}

  Verdict lock(Command const& command, Decision& decision) const;
  Verdict unlock(Command const& command, Decision& decision) const;
  // Ends those of a connection that is gone, or of all, a step at a time. True: more remain.
  bool end_of(ConnectionId connection, Decision& decision) const;
  bool end_all(Decision& decision) const;
  // They end later by so much.
  bool extend(DurationMs by, Decision& decision) const;

 private:
  struct Request;
  // False: it is refused.
  [[nodiscard]] bool read(Command const& command, Decision& decision, Request& request) const;

  TableState const& shared_;
};

}  // namespace fastjournal::keyvalue
