// A connection and the scripted daemon at its other end.
#pragma once

#include <memory>

#include "tests/unit/clients/fake_server.h"

namespace fastjournal::client {

struct Talk {
  explicit Talk(FakeServer::Script script) : server(std::move(script)) {
    auto opened = Connection::open({.server = server.address(), .back_off = {Milliseconds{1}}, .client = "producer-7"});
    BOOST_REQUIRE(opened.ok());
    connection = std::move(opened).value();
  }
  FakeServer server;
  std::unique_ptr<Connection> connection;
};

}  // namespace fastjournal::client
