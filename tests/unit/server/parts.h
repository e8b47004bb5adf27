// Parts of the server, for unit tests: a network that records what it is given, a clock that stands still, and an
// engine without tables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "server/communicator/service.h"
#include "server/session/memory_guard.h"
#include "server/session/output.h"
#include "server/session/sessions.h"
#include "tests/support/nobody.h"
#include "tests/support/recording_network.h"
#include "wire/messages.h"

namespace fastjournal::server::test {

struct StillClock final : env::Clock {
  std::int64_t wall_us() override { return now_us; }
  std::int64_t monotonic_us() override { return now_us; }
  std::int64_t awake_us() override { return now_us; }
  std::int64_t now_us{0};
};

struct NoLinks final : communicator::LinkOutput {
  bool send(ConnectionId, Outgoing const&, log::Log const*) override { return false; }
  void rest_on_all(ConnectionId) override {}
};

struct Ends final : SessionEnd {
  void session_ended(Session const& session) override { ended.push_back(session.id); }
  std::vector<ConnectionId> ended;
};

struct Reserve final : MemoryReserve {
  bool has_memory_ended() override { return ended; }
  bool restore_memory() override {
    ended = !refills && ended;
    return refills;
  }
  bool ended{false};
  bool refills{false};
};

inline std::unique_ptr<Protocol> messages() { return std::make_unique<protocol::Messages>(protocol::FrameLimits{}); }

struct Parts {
  static constexpr std::uint64_t kMemory = 1U << 20U;

  Session& come(std::uint64_t id, Rights rights = kLoopbackRights) {
    std::string const origin = "ip:" + std::to_string(id);
    Result<Session*> const session = sessions.admit(ConnectionId{id}, {"peer", origin}, rights, messages());
    BOOST_REQUIRE(session.ok());
    session.value()->life.is_known = true;
    return *session.value();
  }
  [[nodiscard]] std::string const& sent(std::uint64_t id) { return network.sent[ConnectionId{id}]; }

  StillClock clock;
  TimeKeeper time{clock};
  fastjournal::test::RecordingNetwork network;
  fastjournal::test::RecordingNotes notes;
  engine::TableTypes types;
  fastjournal::test::Nobody nobody;
  engine::Engine engine{types, nobody};
  DaemonAlerts alerts{engine, network};
  Ends end;
  Sessions sessions{
      network, time, kMemory, {.most = 2, .reserved = 1, .per_peer = 2, .first_message_us = 1'000'000}, end};
  ClientMemory& memory{sessions.memory()};
  Reserve reserve;
  MemoryGuard guard{sessions, engine, alerts, reserve, network, time};
  InputLine line{network, sessions};
  communicator::OutboundLinks links{network, notes};
  NoLinks no_links;
  communicator::Service service{links, no_links, engine, notes};
  Output output{network, sessions, guard, line, engine, service, time, 1000};
};

}  // namespace fastjournal::server::test
