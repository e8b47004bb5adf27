// Runs the timers of tables whose date has come: rows that fall due, leases that end. Bounded in each turn.
#pragma once

#include "engine/decider.h"
#include "engine/due_tables.h"
#include "engine/tables.h"
#include "engine/time_corrections.h"
#include "engine/waiting/work_units.h"

namespace fastjournal::engine {

class Timers {
 public:
  Timers(Tables const& tables, DueTables& due_tables, Decider& decider, TimeCorrections& corrections,
         work::WorkUnits const& work_units)
      : tables_(tables),
        due_tables_(due_tables),
        decider_(decider),
        corrections_(corrections),
        work_units_(work_units) {}
  Timers(Timers const&) = delete;
  Timers& operator=(Timers const&) = delete;

  // Time does not go back from here on.
  void begin(TimeMs now) { now_ = now; }
  // True if more is due.
  [[nodiscard]] bool run(TimeMs now);

 private:
  // False: the turn's budget is used up, or the table has more to do.
  [[nodiscard]] bool run_table(HostedTable& table, TimeMs now, std::uint64_t work_units_max);

  Tables const& tables_;
  DueTables& due_tables_;
  Decider& decider_;
  TimeCorrections& corrections_;
  work::WorkUnits const& work_units_;
  TimeMs now_{};
};

}  // namespace fastjournal::engine
