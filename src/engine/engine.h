// The engine: connects tables, their logs, time and waiting clients. It knows neither sockets nor files. One thread. It
// is composed twice, by the daemon and by the simulator.
//
// A turn: execute() for each command that came; run_timers(); end_of_turn(); then the owner commits the logs
// (Log::commit), calls committed(), and sends what the ReplySink was given.
//
// This class puts the parts together, each with a subject and a file of its own, and says in which order they work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/alerting.h"
#include "engine/configuration.h"
#include "engine/connections.h"
#include "engine/decider.h"
#include "engine/digest.h"
#include "engine/due_tables.h"
#include "engine/followed_log.h"
#include "engine/leases_by_connection.h"
#include "engine/memory.h"
#include "engine/moving.h"
#include "engine/recovery.h"
#include "engine/reload.h"
#include "engine/serving.h"
#include "engine/shortages.h"
#include "engine/space.h"
#include "engine/tables.h"
#include "engine/time_corrections.h"
#include "engine/timers.h"
#include "engine/transactions/branches.h"
#include "engine/transactions/transactions.h"
#include "engine/transactions/two_phase.h"
#include "engine/volatile_tables.h"
#include "engine/waiting/service.h"
#include "engine/waiting/work_units.h"

namespace fastjournal::engine {

class Engine {
 public:
  Engine(TableTypes const& types, work::ReplySink& replies);
  [[nodiscard]] TableTypes const& types() const { return types_; }
  Engine(Engine const&) = delete;
  Engine& operator=(Engine const&) = delete;

  // -- start: recovery.h says in which order --------------------------------------
  void declare(Declarations declarations, Declarations forget = {});
  // The seed for hashes of clients' names (TableContext::hash_seed); call it before the first table is made.
  void hash_with(std::uint64_t seed) { tables_.hash_with(seed); }
  // Also before that: the time zones of tables (TableContext::zones).
  void tell_zones(Zones const& zones) { tables_.tell_zones(zones); }
  // Also before that: who brings the files of bytes outside the log.
  void store_with(OutsideMaker& maker) { tables_.store_with(maker); }
  HostedLog& add_log(std::string name) { return tables_.add_log(std::move(name)); }
  // One that several nodes share: it may be another one that decides for its tables. Then attach_shared().
  FollowedLog& add_shared_log(std::string name);
  static void attach_shared(FollowedLog& followed, log::Log& log) { followed.hosted().log = &log; }
  [[nodiscard]] Recovery& recovery() { return recovery_; }
  [[nodiscard]] Status finish_recovery(TimeMs now);
  [[nodiscard]] TimeCorrections& time_corrections() { return corrections_; }

  // -- tables and logs --------------------------------------------------------------
  [[nodiscard]] HostedTable* find_table(std::string_view name) { return tables_.find(name); }
  [[nodiscard]] std::vector<std::unique_ptr<HostedTable>> const& tables() const { return tables_.all(); }
  // The logs that are kept; after them, if a table is not persistent, the volatile one.
  [[nodiscard]] std::vector<std::unique_ptr<HostedLog>> const& logs() const { return tables_.logs(); }
  // Null: there is none of this name.
  [[nodiscard]] HostedLog* find_log(std::string_view name) const { return tables_.find_log(name); }
  // The log of a table that is declared; null: no such table, or no such log. The table may not be there yet.
  [[nodiscard]] HostedLog* log_of_declared(std::string_view table) const;
  // While a log does not serve, nothing is decided for its tables: timers, waiting commands and listeners wait, and
  // commands on them are refused with `away`. Ok: it serves.
  void set_serving(HostedLog& log, Status away, TimeMs now);
  // Of everything that a replay reproduces.
  [[nodiscard]] std::uint64_t digest() const { return digest_of(tables_.logs()); }

  // -- commands ---------------------------------------------------------------------
  [[nodiscard]] Serving& serving() { return serving_; }
  // It was full, and accepts messages again.
  void writable(ConnectionId connection) { connections_.writable(connection); }
  // `gives_back`: what it has leased; else that stays leased until its date.
  void connection_closed(ConnectionId connection, TimeMs now, bool gives_back = true) {
    branches_.connection_closed(connection, now);
    transactions_.connection_closed(connection, now);
    connections_.closed(connection, now, gives_back);
  }

  // Decides something for a table without a command, step by step: decide(Decision&) until it returns false. What finds
  // no room in the log is left out.
  template <typename Decide>
  void decide(HostedTable& table, TimeMs now, std::uint32_t steps_max, Decide const& decide) {
    static_cast<void>(decider_.decide_alone(table, now, steps_max, Durability::synced, decide));
    due_tables_.refresh(table);
  }

  // -- a turn -----------------------------------------------------------------------
  [[nodiscard]] TimeMs next_due() const {
    return std::min({due_tables_.first_date(), space_.next_due(), transactions_.next_due(), branches_.next_due(),
                     two_phase_.next_due(), moving_.next_due()});
  }
  // Bounded; true if more is due.
  [[nodiscard]] bool run_timers(TimeMs now) {
    bool const more = transactions_.run(now);
    branches_.look(now);
    return timers_.run(now) || more;
  }
  // Waiting commands and wakes. True if it wants another turn.
  [[nodiscard]] bool end_of_turn(TimeMs now);
  // After every log committed: moves bases, copies a little forward, and drops the records of empty logs. The next turn
  // commits that: true if another turn is wanted.
  [[nodiscard]] bool committed(TimeMs now);
  // Work units since the start: their growth limits a turn.
  [[nodiscard]] std::uint64_t work_units() const { return work_units_.total(); }

  [[nodiscard]] Transactions& transactions() { return transactions_; }
  [[nodiscard]] Branches& branches() { return branches_; }
  [[nodiscard]] TwoPhase& two_phase() { return two_phase_; }
  // COMMIT of this connection.
  [[nodiscard]] Outcome commit(ConnectionId connection, Message const& command, TimeMs now, Answer& answer);

  // -- configuration ----------------------------------------------------------------
  [[nodiscard]] Declarations const& declarations() const { return configuration_.declarations(); }
  [[nodiscard]] Reload& reloading() { return reload_; }
  [[nodiscard]] Moving& moving() { return moving_; }

  // -- alerts and shortages -----------------------------------------------------------
  [[nodiscard]] Alerting& alerting() { return alerting_; }
  [[nodiscard]] Shortages& shortages() { return shortages_; }
  [[nodiscard]] Memory& memory() { return memory_; }

 private:
  TableTypes const& types_;
  work::WorkUnits work_units_;
  Memory memory_;
  DueTables due_tables_{memory_};
  LeasesByConnection leases_by_connection_;
  Tables tables_;
  Alerting alerting_{tables_};
  Shortages shortages_{tables_, memory_, alerting_};
  Decider decider_{{due_tables_, alerting_, shortages_, memory_, leases_by_connection_, work_units_}};
  work::Service service_;
  Transactions transactions_;
  TwoPhase two_phase_;
  Branches branches_{{tables_, alerting_, shortages_, transactions_, two_phase_}};
  Serving serving_{tables_, due_tables_, leases_by_connection_, decider_, service_, work_units_, transactions_};
  Connections connections_{tables_, due_tables_, leases_by_connection_, decider_, work_units_};
  TimeCorrections corrections_{tables_, due_tables_, decider_, alerting_};
  Timers timers_{tables_, due_tables_, decider_, corrections_, work_units_};
  VolatileTables volatile_tables_{tables_, alerting_};
  Configuration configuration_;
  Recovery recovery_;
  Moving moving_{{tables_, configuration_, recovery_, due_tables_, memory_, alerting_, decider_, transactions_,
                  branches_, two_phase_}};
  Reload reload_{tables_, configuration_, transactions_, branches_, two_phase_, moving_};
  Space space_{tables_, decider_};
  std::vector<std::unique_ptr<FollowedLog>> followed_;
};

}  // namespace fastjournal::engine
