// Corrections of `now`: time that was lost, by which leases are extended, and a clock that was ahead and is accepted as
// it is.
#pragma once

#include "engine/decider.h"
#include "engine/due_tables.h"
#include "engine/tables.h"
#include "log/catalogue.h"

namespace fastjournal::engine {

class TimeCorrections {
 public:
  TimeCorrections(Tables const& tables, DueTables& due_tables, Decider& decider, Alerting& alerting)
      : tables_(tables), due_tables_(due_tables), decider_(decider), alerting_(alerting) {}
  TimeCorrections(TimeCorrections const&) = delete;
  TimeCorrections& operator=(TimeCorrections const&) = delete;

  // The largest date any log knows: `now` never goes below it,
  [[nodiscard]] TimeMs last_now() const;
  // except by this call, before recovery is finished: the clock was ahead, and `now` is right.
  [[nodiscard]] Status accept_clock(TimeMs now);
  // So much of the time up to `now` was lost: it is recorded, and leases are extended by it. Called before anything else
  // uses this `now`.
  void lose_time(log::Catalogue::Clock::Why why, DurationMs lost, TimeMs now);
  // Extends the leases of a table by what it has in `lost`. False: there was no room in the log, and the rest follows
  // later.
  bool tell_lost(HostedTable& table, TimeMs now);

 private:
  Status accept_clock_in(HostedLog& log, TimeMs now);

  Tables const& tables_;
  DueTables& due_tables_;
  Decider& decider_;
  Alerting& alerting_;
};

}  // namespace fastjournal::engine
