// WAITERS: the clients that listen or wait at a table, with what they are known by.
#include <array>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

constexpr std::int64_t kCountDefault = 100;
constexpr std::int64_t kCountMax = 1000;

constexpr std::array<std::string_view, 3> kWaiterModes = {"wake", "row", "deliver"};  // by ListenMode
constexpr std::array<std::string_view, 3> kStates = {"idle", "woken", "busy"};        // by Listener::State

class Waiters final : public Command {
 public:
  Waiters(engine::Engine& engine, Peers& peers) : engine_(engine), peers_(peers) {}

  void run(Request& request) override {
    engine::HostedTable* const table = find_table(engine_, request.message, request.status, request.basis);
    if (table == nullptr) return;
    std::int64_t const count = whole_number(request.message, "count", kCountDefault, 0);
    if (count < 1 || count > kCountMax) {
      request.status = bad_parameter("count", "count is a whole number from 1 to " + std::to_string(kCountMax));
      return;
    }
    Value const* const given = request.message.find("after");
    std::optional<std::uint64_t> const after = given == nullptr ? 0 : given->as_unsigned();
    if (!after || (given != nullptr && given->kind == Value::Kind::boolean)) {
      request.status = bad_parameter("after", "after is a connection's number, as the page before said");
      return;
    }
    Answer& answer = request.answer;
    ConnectionId const last = engine_.waiters(*table, ConnectionId{*after}, static_cast<std::size_t>(count),
                                              [&](work::Standing const& one) { tell(*table, one, answer); });
    if (answer.empty()) answer.message("NOTHING").add("table", std::string_view{table->name});
    if (last != ConnectionId::none) answer.add("after", static_cast<std::uint64_t>(last));
  }

 private:
  void tell(engine::HostedTable const& table, work::Standing const& one, Answer& answer) {
    Peers::Peer const peer = peers_.peer_of(one.connection);
    answer.message("WAITER").add("table", std::string_view{table.name});
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

  static void tell_listener(work::Listener const& listener, Answer& answer) {
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

  engine::Engine& engine_;
  Peers& peers_;
};

}  // namespace

CommandPtr make_waiters(engine::Engine& engine, Peers& peers) { return std::make_unique<Waiters>(engine, peers); }

}  // namespace fastjournal::admin
