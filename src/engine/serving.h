// The commands of clients, those that run at once and those that wait, and their listeners: what comes goes to the
// decider, what waits to the service of waiting clients.
#pragma once

#include <functional>

#include "engine/decider.h"
#include "engine/due_tables.h"
#include "engine/leases_by_connection.h"
#include "engine/tables.h"
#include "engine/transactions/transactions.h"
#include "engine/waiting/looks.h"
#include "engine/waiting/service.h"

namespace fastjournal::engine {

class Serving {
 public:
  Serving(Tables const& tables, DueTables& due_tables, LeasesByConnection& leases_by_connection, Decider& decider,
          work::Service& service, work::Looks& looks, Transactions& transactions)
      : tables_(tables),
        due_tables_(due_tables),
        leases_by_connection_(leases_by_connection),
        decider_(decider),
        service_(service),
        looks_(looks),
        transactions_(transactions) {}
  Serving(Serving const&) = delete;
  Serving& operator=(Serving const&) = delete;

  // False: the answer comes later, through the ReplySink. Otherwise `answer` holds the answer, or `status` why there is
  // none. `fetching` wants something: the command goes on with it, once that was read and told to the table.
  [[nodiscard]] bool execute(HostedTable& table, Command const& command, TimeMs now, Answer& answer, Status& status,
                             work::Fetching* fetching = nullptr) {
    if (fetching == nullptr || fetching->step == 0) ++table.commands;
    if (transactions_.takes(table, command)) {
      status = transactions_.promise(table, command, now, answer);
      if (!status.ok()) ++table.refused;
      return true;
    }
    work::Outcome const outcome = decider_.run(table, command, now, false, answer, status, fetching);
    if (!status.ok()) ++table.refused;
    if (table.subscriptions.took(command.connection, outcome.take)) due_tables_.mark(table);
    if (outcome.watch != nullptr) watch(table, command.connection, *outcome.watch, command.message->find("request"));
    if (outcome.verdict == Verdict::fetch && status.ok()) return false;
    if (outcome.verdict == Verdict::wait) return !wait(table, command, outcome, now, answer, status);
    work::say_something(*table.type->declaration(), table.name, answer, status);
    return true;
  }
  // A second LISTEN of the same connection, table and topic changes its mode and credit.
  [[nodiscard]] Status listen(HostedTable& table, ConnectionId connection, work::ListenWish const& wish);
  [[nodiscard]] Status unlisten(HostedTable& table, ConnectionId connection, std::string_view topic);
  // Of a table that is Watched. `listener`: the command's request; null: it has none.
  void watch(HostedTable& table, ConnectionId connection, WatchWish const& wish, Value const* listener);
  // False: it does not watch that.
  bool unwatch(HostedTable& table, ConnectionId connection, WatchWish const& wish);
  // As Subscriptions::for_each_above.
  ConnectionId waiters(HostedTable const& table, ConnectionId after, std::size_t count,
                       std::function<void(work::Standing const&)> const& visit);
  // Receivers of wake messages may have been down: wakes for all available work are sent again, to `service` only, or
  // to all if it is empty.
  void tell_wakes_again(std::string_view service);

  // End of a turn: waiting clients of the tables that were marked, within a budget.
  void serve_marked(TimeMs now);

 private:
  // False: it cannot wait, and `status` says why.
  [[nodiscard]] bool wait(HostedTable& table, Command const& command, work::Outcome const& outcome, TimeMs now,
                          Answer& answer, Status& status);

  Tables const& tables_;
  DueTables& due_tables_;
  LeasesByConnection& leases_by_connection_;
  Decider& decider_;
  work::Service& service_;
  work::Looks& looks_;
  Transactions& transactions_;
};

}  // namespace fastjournal::engine
