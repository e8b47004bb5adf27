// The commands of clients, those that run at once and those that wait, and their listeners: what comes goes to the
// decider, what waits to the service of waiting clients.
#pragma once

#include <functional>
#include <utility>

#include "engine/decider.h"
#include "engine/due_tables.h"
#include "engine/leases_by_connection.h"
#include "engine/tables.h"
#include "engine/transactions/transactions.h"
#include "engine/waiting/service.h"
#include "engine/waiting/work_units.h"

namespace fastjournal::engine {

class Serving {
 public:
  Serving(Tables const& tables, DueTables& due_tables, LeasesByConnection& leases_by_connection, Decider& decider,
          work::Service& service, work::WorkUnits& work_units, Transactions& transactions)
      : tables_(tables),
        due_tables_(due_tables),
        leases_by_connection_(leases_by_connection),
        decider_(decider),
        service_(service),
        work_units_(work_units),
        transactions_(transactions) {}
  Serving(Serving const&) = delete;
  Serving& operator=(Serving const&) = delete;

  // `fetching`: the place from which it continues. If that wants bytes afterwards, the command comes again once they
  // were read and reported to the table.
  [[nodiscard]] Outcome execute(HostedTable& table, Command const& command, TimeMs now, Answer& answer,
                                work::Fetching* fetching = nullptr) {
    if (fetching == nullptr || fetching->step == 0) ++table.commands;
    if (transactions_.takes(table, command)) {
      Outcome promised = transactions_.promise(table, command, now, answer);
      if (!promised.ok()) ++table.refused;
      return promised;
    }
    work::Decided decided = decider_.run(table, command, now, false, answer, fetching);
    if (!decided.status.ok()) ++table.refused;
    if (table.subscriptions.took(command.connection, decided.take)) due_tables_.mark(table);
    if (decided.watch != nullptr) watch(table, command.connection, *decided.watch, command.message->find("request"));
    if (decided.verdict == Verdict::wait) return wait(table, command, decided, now, answer);
    if (decided.verdict == Verdict::fetch) return Outcome::later(std::move(decided.status));
    work::say_something(*table.type->declaration(), table.name, answer, decided.status);
    return std::move(decided.status);
  }
  // A second LISTEN of the same connection, table and topic changes its mode and credit.
  [[nodiscard]] Status listen(HostedTable& table, ConnectionId connection, work::ListenRequest const& request);
  [[nodiscard]] Status unlisten(HostedTable& table, ConnectionId connection, std::string_view topic);
  // Of a table that is Watched. `listener`: the command's request; null: it has none.
  void watch(HostedTable& table, ConnectionId connection, WatchRequest const& request, Value const* listener);
  // False: it does not watch that.
  bool unwatch(HostedTable& table, ConnectionId connection, WatchRequest const& request);
  // As Subscriptions::for_each_above.
  ConnectionId waiters(HostedTable const& table, ConnectionId after, std::size_t count,
                       std::function<void(work::WaitingClient const&)> const& visit);
  // Receivers of wake messages may have been down: wakes for all available work are sent again, to `service` only, or
  // to all if it is empty.
  void tell_wakes_again(std::string_view service = {});

  // End of a turn: waiting clients of the tables that were marked, within a budget.
  void serve_marked(TimeMs now);

 private:
  [[nodiscard]] Outcome wait(HostedTable& table, Command const& command, work::Decided const& decided, TimeMs now,
                             Answer& answer);

  Tables const& tables_;
  DueTables& due_tables_;
  LeasesByConnection& leases_by_connection_;
  Decider& decider_;
  work::Service& service_;
  work::WorkUnits& work_units_;
  Transactions& transactions_;
};

}  // namespace fastjournal::engine
