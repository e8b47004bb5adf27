#include "engine/serving.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace fastjournal::engine {
namespace {

// Some 2 ms in one turn.
constexpr std::uint64_t kWorkUnitsPerTurn = 48U << 10U;

// Of one table, for its service in this turn.
class RunFor final : public work::Runner {
 public:
  RunFor(Decider& decider, HostedTable& table, TimeMs now) : decider_(decider), table_(table), now_(now) {}
  work::Decided run(Command const& command, bool over, std::array<std::uint64_t, 4> const& carry,
                    Answer& answer) override {
    return decider_.run(table_, command, now_, over, answer, nullptr, carry);
  }

 private:
  Decider& decider_;
  HostedTable& table_;
  TimeMs now_;
};

}  // namespace

Outcome Serving::wait(HostedTable& table, Command const& command, work::Decided const& decided, TimeMs now,
                      Answer& answer) {
  answer.clear();
  if (Status status = work::Service::wait(table.served(), command, decided, now); !status.ok()) return status;
  leases_by_connection_.remember(command.connection, table);
  due_tables_.refresh(table);
  return Outcome::later();
}

Status Serving::listen(HostedTable& table, ConnectionId connection, work::ListenRequest const& request) {
  if (Status status = work::Service::listen(table.served(), connection, request); !status.ok()) return status;
  leases_by_connection_.remember(connection, table);
  due_tables_.mark(table);
  return {};
}

Status Serving::unlisten(HostedTable& table, ConnectionId connection, std::string_view topic) {
  if (Status status = work::Service::unlisten(table.served(), connection, topic); !status.ok()) return status;
  due_tables_.mark(table);
  return {};
}

void Serving::watch(HostedTable& table, ConnectionId connection, WatchRequest const& request, Value const* listener) {
  if (connection == ConnectionId::none) return;
  table.watchers.watch(connection, request, listener);
  leases_by_connection_.remember(connection, table);
  // Some of what it watched may be given up.
  due_tables_.mark(table);
}

bool Serving::unwatch(HostedTable& table, ConnectionId connection, WatchRequest const& request) {
  return table.watchers.unwatch(connection, request);
}

ConnectionId Serving::waiters(HostedTable const& table, ConnectionId after, std::size_t count,
                              std::function<void(work::WaitingClient const&)> const& visit) {
  work_units_.add(table.subscriptions.clients());
  return table.subscriptions.for_each_above(after, count, visit);
}

void Serving::tell_wakes_again(std::string_view service) {
  for (auto const& table : tables_.all()) {
    if (table->is_dropped() || table->wakes == nullptr) continue;
    if (!service.empty() && table->declaration->wake_message->service != service) continue;
    *table->wakes = {};
    due_tables_.mark(*table);
  }
}

void Serving::serve_marked(TimeMs now) {
  std::vector<HostedTable*> const marked = due_tables_.take_marked();
  std::uint64_t const before = work_units_.total();
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (work_units_.total() - before >= kWorkUnitsPerTurn) {
      due_tables_.put_back(std::span{marked}.subspan(i));
      return;
    }
    HostedTable& table = *marked[i];
    table.marked = false;
    // Dropped in this turn, or looked at when its log is back.
    if (table.is_dropped() || !table.serves()) continue;
    RunFor runner{decider_, table, now};
    if (service_.serve(table.served(), runner, now)) due_tables_.mark(table);
    due_tables_.refresh(table);
  }
}

}  // namespace fastjournal::engine
