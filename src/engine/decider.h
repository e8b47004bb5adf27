// The one path of decisions: reserve room, decide step by step, apply each step at once so that the next one sees it,
// close the group. Of commands (run), and of what a table decides without one: timers, closed connections, recovery,
// lost time, copies. And of the commands of a transaction (promise, keep).
//
// One group is open at a time, and none between two calls.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/alerting.h"
#include "engine/due_tables.h"
#include "engine/effects.h"
#include "engine/group.h"
#include "engine/leases_by_connection.h"
#include "engine/memory.h"
#include "engine/shortages.h"
#include "engine/waiting/served_table.h"
#include "engine/waiting/work_units.h"

namespace fastjournal::engine {

// The most bytes that the records of one step of this command take (Records).
[[nodiscard]] std::size_t room_of_step(Message const& message);

class Decider {
 public:
  struct Parts {
    DueTables& due_tables;
    Alerting& alerting;
    Shortages& shortages;
    Memory const& memory;
    LeasesByConnection& leases_by_connection;
    work::WorkUnits& work_units;
  };
  explicit Decider(Parts const& parts) : parts_(parts) {}
  Decider(Decider const&) = delete;
  Decider& operator=(Decider const&) = delete;

  // -- commands -------------------------------------------------------------------
  // `over`: it waited, and waits no longer. `fetching`: the place from which it continues, and, if the verdict is
  // `fetch`, will continue; null: nothing can be read for it, so that it is refused then. `carry`: of one
  // that waited.
  work::Decided run(HostedTable& table, Command const& command, TimeMs now, bool over, Answer& answer,
                    work::Fetching* fetching = nullptr, std::array<std::uint64_t, 4> const& carry = {});

  // -- of a transaction -------------------------------------------------------------
  // Its needs are in `hold`; not ok: it is refused.
  [[nodiscard]] Status promise(HostedTable& table, Command const& command, TransactionId id, TimeMs now, Hold& hold);
  struct Promised {
    HostedTable* table{nullptr};
    Command command{};
    TimeMs asked{};           // when it was promised
    std::uint32_t number{0};  // among all commands of its transaction, from 1
  };
  // Carries them out in one group, within what was reserved, with what `also` appends to the catalogue. Each adds its
  // message to the answer, with its number as `op`.
  void keep(HostedLog& log, TransactionId id, std::span<Promised const> all, TimeMs now, Answer& answer,
            std::function<void(Records&)> const& also);

  // -- without a command ------------------------------------------------------------
  // Rows whose date has come enter the order; true: more remain.
  bool advance(HostedTable& table, TimeMs now);

  enum class Ending : std::uint8_t { finished, more, no_space };
  // Calls decide(Decision&) until it returns false, at most `steps_max` times. Each step is a group.
  template <typename Decide>
  [[nodiscard]] Ending decide_alone(HostedTable& table, TimeMs now, std::uint32_t steps_max, Durability durability,
                                    Decide const& decide) {
    HostedLog& log = *table.log;
    for (std::uint32_t step = 0; step < steps_max; ++step) {
      if (!has_room_for_step(log, now)) return Ending::no_space;
      bool more = false;
      Step const done = decide_step(table, now, [&](Decision& decision) { more = decide(decision); });
      parts_.work_units.add(work::WorkUnits::kPerStep + done.work_units + work::WorkUnits::kPerRecord * done.records);
      if (done.records > 0) parts_.alerting.close_group(log, now, durability);
      if (!more) return Ending::finished;
    }
    return Ending::more;
  }

  // For a decision that has a group of its own kind. False: there is no room for a step, which is noted.
  [[nodiscard]] bool has_room_for_step(HostedLog& log, TimeMs now) {
    if (log.log->reserve(kStepBytesMax + kGroupBytes, true)) return true;
    parts_.shortages.note_disk(log, now);
    return false;
  }
  struct Step {
    std::size_t records{0};  // appended and applied; the log's group is open if there are any
    std::uint64_t work_units{0};
  };
  // decide(Decision&), within what was reserved. The caller ends the group.
  template <typename Decide>
  Step decide_step(HostedTable& table, TimeMs now, Decide const& decide) {
    HostedLog& log = *table.log;
    Effects effects{table, parts_.due_tables, parts_.alerting, now};
    group_.begin(log);
    Group::Part part{group_, table, effects};
    scratch_.clear();
    Decision decision{.now = now, .start = log.log->start(), .records = part, .answer = scratch_};
    decide(decision);
    Step const done{group_.step_size(), decision.work_units};
    if (done.records > 0) group_.apply_step(now);
    return done;
  }

 private:
  // A command sees no row as waiting whose date has come. True: it changed.
  bool advance_if_due(HostedTable& table, TimeMs now);

  Parts parts_;
  Group group_;
  Answer scratch_;
};

}  // namespace fastjournal::engine
