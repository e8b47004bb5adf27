// Queries of a table type's protocol that come as datagrams of a unix socket, each alone: it is run, and the answer goes
// to the address of its sender once what it shows is durable. A datagram that is no query, is refused, or cannot be
// answered is dropped and counted: its sender asks again. Owned by the server.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/env/network.h"
#include "fastjournal/message.h"
#include "log/log.h"
#include "server/dispatch/table_commands.h"
#include "server/listeners.h"

namespace fastjournal::server {

class DatagramQueries {
 public:
  DatagramQueries(env::Network& network, Listeners const& listeners, TableCommands& commands)
      : network_(network), listeners_(listeners), commands_(commands) {}

  void take(ConnectionId socket, std::string_view bytes, std::string_view from, env::Peer const& peer);
  // At the end of a turn: those that may leave.
  void leave();

  struct Counters {
    std::uint64_t queries{0};
    std::uint64_t answers{0};
    std::uint64_t dropped{0};
  };
  [[nodiscard]] Counters const& counters() const { return counters_; }

 private:
  struct Waiting {
    ConnectionId socket{};
    std::string to;
    std::string bytes;
    log::Log const* log{nullptr};
    Lsn lsn{};  // none: of this turn
  };

  env::Network& network_;
  Listeners const& listeners_;
  TableCommands& commands_;
  std::deque<Waiting> waiting_;
  Message message_;  // memory that is reused
  Answer answer_;
  Counters counters_;
};

}  // namespace fastjournal::server
