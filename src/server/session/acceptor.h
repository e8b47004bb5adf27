// Connections that come, and silent ones that go: a refused one is told why. Owned by the server.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/env/network.h"
#include "base/env/notes.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "server/connections.h"
#include "server/core.h"
#include "server/session/admission.h"
#include "server/session/authentication.h"

namespace fastjournal::server {

class Acceptor {
 public:
  struct Counters {
    std::uint64_t connections{0};
    std::uint64_t refused{0};
    std::uint64_t silent{0};  // closed because they were silent
  };

  Acceptor(Core& core, Connections& connections, Authentication& authentication, env::Network& network,
           env::Notes& notes, ConnectionLimits limits)
      : connections_(connections),
        authentication_(authentication),
        time_(core.clock.time()),
        network_(network),
        notes_(notes),
        limits_(limits) {}

  void admit(ConnectionId id, env::Peer const& peer);
  // Closes silent connections. True: more of them follow.
  [[nodiscard]] bool end_silent();

  [[nodiscard]] Counters const& counters() const { return counters_; }

 private:
  void refuse(ConnectionId id, env::Peer const& peer, Status const& why);
  void show_out(Session& session, std::string_view limit, std::string_view why);

  Connections& connections_;
  Authentication& authentication_;
  TimeKeeper& time_;
  env::Network& network_;
  env::Notes& notes_;
  ConnectionLimits limits_;
  std::int64_t note_at_us_{0};
  Counters counters_;
};

}  // namespace fastjournal::server
