#include "engine/connections.h"

#include <vector>

namespace fastjournal::engine {
namespace {

// Some 2 ms in one turn.
constexpr std::uint64_t kReleaseWorkUnitsPerTurn = 48U << 10U;
constexpr std::uint32_t kReleaseStepsTogether = 64;

}  // namespace

void Connections::writable(ConnectionId connection) {
  for (std::uint32_t const number : leases_by_connection_.of(connection)) {
    HostedTable& table = tables_[number];
    if (table.is_dropped()) continue;
    table.subscriptions.go_on(connection);
    table.watchers.go_on(connection);
    due_tables_.mark(table);
  }
}

void Connections::closed(ConnectionId connection, TimeMs now, bool gives_back) {
  std::vector<std::uint32_t> const numbers = leases_by_connection_.take(connection);
  if (numbers.empty()) return;
  for (std::uint32_t const number : numbers) {
    HostedTable& table = tables_[number];
    if (table.is_dropped()) continue;
    table.subscriptions.closed(connection);
    table.watchers.closed(connection);
    if (gives_back) lost_.emplace_back(connection, number);
    due_tables_.mark(table);
  }
  give_back(now);
}

void Connections::give_back(TimeMs now) {
  while (!lost_.empty() && work_units_of_turn_ < kReleaseWorkUnitsPerTurn) {
    auto const [connection, number] = lost_.front();
    HostedTable& table = tables_[number];
    Decider::Ending ending = Decider::Ending::finished;
    if (!table.is_dropped() && table.can.holder != nullptr) {
      std::uint64_t const before = work_units_.total();
      ConnectionId const gone = connection;
      ending = !table.serves() ? Decider::Ending::no_space
                               : decider_.decide_alone(
                                     table, now, kReleaseStepsTogether, Durability::written, [&](Decision& decision) {
                                       return table.can.holder->decide_connection_closed(gone, decision);
                                     });
      work_units_of_turn_ += work_units_.total() - before;
      due_tables_.mark(table);
      due_tables_.refresh(table);
    }
    // Without room for it, and in a log that is away, their leases end by their own dates.
    if (ending != Decider::Ending::more) lost_.pop_front();
  }
}

}  // namespace fastjournal::engine
