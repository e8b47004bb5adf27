// WAITERS: the clients that listen or wait at a table, with what they are known by.
#include <array>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

constexpr std::array<std::string_view, 3> kWaiterModes = {"wake", "row", "deliver"};  // by ListenMode
constexpr std::array<std::string_view, 3> kStates = {"idle", "woken", "busy"};        // by Listener::State

void tell_listener(work::Listener const& listener, Answer& answer) {
  switch (listener.mode) {
    case work::ListenMode::wake:
      answer.add("state", Value::of_text(kStates[static_cast<std::size_t>(listener.state)]));
      break;
    case work::ListenMode::row:
      if (listener.missed > 0) answer.add("missed", listener.missed);
      break;
    case work::ListenMode::deliver:
      answer.add("credit", std::uint64_t{listener.credit});
      answer.add("leases", std::uint64_t{listener.delivered.size()});
      break;
  }
}

void tell_waiter(std::string_view table, work::WaitingClient const& one, Peers::Peer const& peer, Answer& answer) {
  answer.message("WAITER").add("table", table);
  answer.add("connection", static_cast<std::uint64_t>(one.connection));
  answer.add("mode", one.listener == nullptr ? "next" : kWaiterModes[static_cast<std::size_t>(one.listener->mode)]);
  if (!one.topic.empty()) answer.add("topic", one.topic);
  if (!one.worker.empty()) answer.add("worker", one.worker);
  if (!peer.address.empty()) answer.add("peer", peer.address);
  if (!peer.user.empty()) answer.add("user", peer.user);
  answer.add("since", one.since.value);
  if (one.is_stalled) answer.add("stalled", std::uint64_t{1});
  if (one.listener == nullptr)
    answer.add("until", one.until.value).add("waiting", std::uint64_t{one.waiting});
  else
    tell_listener(*one.listener, answer);
}

}  // namespace

Command make_waiters(engine::Engine& engine, Peers& peers) {
  return {on_table(engine, [&](engine::HostedTable const& table, Request const& request) -> Outcome {
    Answer& answer = request.answer;
    ConnectionId const last = engine.serving().waiters(
        table, ConnectionId{request.number("after")}, request.number("count"),
        [&](work::WaitingClient const& one) { tell_waiter(table.name, one, peers.peer_of(one.connection), answer); });
    if (answer.empty()) answer.message("NOTHING").add("table", std::string_view{table.name});
    if (last != ConnectionId::none) answer.add("after", static_cast<std::uint64_t>(last));
    return {};
  })};
}

}  // namespace fastjournal::admin
