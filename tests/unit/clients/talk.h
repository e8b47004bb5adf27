// Connections to scripted daemons.
#pragma once

#include <memory>
#include <string_view>

#include "clients/cpp/client.h"
#include "tests/unit/clients/fake_server.h"

namespace fastjournal::client {

inline constexpr Milliseconds kLimit{kScriptLimitMs};

inline std::unique_ptr<Connection> connected(Options options) { return value_of(Connection::open(std::move(options))); }

inline Ticket sent(Connection& connection, std::string_view command, Params const& params = {}) {
  Message message(command);
  for (Param const& param : params) message.set(param.name, param.value);
  return value_of(connection.send(message));
}

// What the daemon says next without having been asked.
inline Message pushed(Connection& connection) { return value_of(connection.wait_push(kLimit)); }

// A connection and the scripted daemon at its other end.
struct Talk {
  explicit Talk(FakeServer::Script script)
      : server(std::move(script)),
        connection(connected({.server = server.address(), .back_off = {Milliseconds{1}}, .client = "producer-7"})) {}
  FakeServer server;
  std::unique_ptr<Connection> connection;
};

}  // namespace fastjournal::client
