// Connections as tables know them: what a lost one held is given back, what one waits for stalls while it accepts no
// bytes. A connection may hold any number of leases, and many may end at once: a turn gives back a part, the rest waits
// for the next one. No client can notice that, since a lease outlives its connection by the grace.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "engine/decider.h"
#include "engine/due_tables.h"
#include "engine/leases_by_connection.h"
#include "engine/tables.h"
#include "engine/waiting/work_units.h"

namespace fastjournal::engine {

class Connections {
 public:
  Connections(Tables const& tables, DueTables& due_tables, LeasesByConnection& leases_by_connection, Decider& decider,
              work::WorkUnits& work_units)
      : tables_(tables),
        due_tables_(due_tables),
        leases_by_connection_(leases_by_connection),
        decider_(decider),
        work_units_(work_units) {}
  Connections(Connections const&) = delete;
  Connections& operator=(Connections const&) = delete;

  // It was full, and accepts messages again.
  void writable(ConnectionId connection);
  void closed(ConnectionId connection, TimeMs now, bool gives_back);
  // Leases of lost connections, as many as this turn still allows.
  void give_back(TimeMs now);
  void end_turn() { work_units_of_turn_ = 0; }
  // Some are left for the next turn.
  [[nodiscard]] bool has_lost() const { return !lost_.empty(); }

 private:
  Tables const& tables_;
  DueTables& due_tables_;
  LeasesByConnection& leases_by_connection_;
  Decider& decider_;
  work::WorkUnits& work_units_;
  // Lost connections that may still hold leases of a table, by its number; in order.
  std::deque<std::pair<ConnectionId, std::uint32_t>> lost_;
  std::uint64_t work_units_of_turn_{0};
};

}  // namespace fastjournal::engine
