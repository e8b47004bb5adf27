// The change feeds (doc/feed.md): a table's durable records are sent as datagrams, once for any number of followers.
// A slow or unreachable network delays nothing: a datagram that the kernel does not take is lost and counted, and
// followers fetch its records.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/env/network.h"
#include "engine/engine.h"
#include "wire/feed.h"

namespace fastjournal::server {

class Feeds {
 public:
  struct Outlet {
    FeedDeclaration declared;
    ConnectionId socket{};
    std::int64_t quiet_since_us{0};
  };
  using Outlets = std::map<std::string, Outlet, std::less<>>;  // by table

  struct Counters {
    std::uint64_t datagrams{0};
    std::uint64_t heartbeats{0};
    std::uint64_t records{0};
    std::uint64_t dropped{0};  // datagrams that the kernel did not take
  };

  Feeds(env::Network& network, engine::Engine& engine) : network_(network), engine_(engine) {}

  // Sockets for the feeds of these tables: existing ones, and new ones. Not ok: one cannot be opened; nothing is
  // changed.
  [[nodiscard]] Result<Outlets> open(engine::Declarations const& tables);
  // Uses these from now on, and closes the others.
  void use(Outlets outlets, std::int64_t now_us);

  // Before the logs are committed: true if they should be synced, as followers wait for records that were only written.
  [[nodiscard]] bool wants_sync(std::int64_t now_us);
  // After the logs were committed.
  void send(std::int64_t now_us);
  // The next date at which wants_sync or send has work; INT64_MAX: never.
  [[nodiscard]] std::int64_t next_us() const;

  [[nodiscard]] Counters const& counters() const { return counters_; }

 private:
  void send_durable(engine::HostedLog const& log, engine::HostedTable& table, std::int64_t now_us);
  void send_heartbeats(std::int64_t now_us);
  void leave(Outlet const& outlet, std::string_view datagram);

  env::Network& network_;
  engine::Engine& engine_;
  Outlets outlets_;
  std::set<std::pair<std::int64_t, std::string>> heartbeats_;  // the next check, never later than a date that is due
  std::int64_t sync_at_us_{INT64_MAX};
  protocol::FeedWriter writer_;
  Counters counters_;
};

}  // namespace fastjournal::server
