// Connections that come, and silent ones that go: a refused one is told why. Owned by the server.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/env/network.h"
#include "base/env/notes.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "server/answers/replies.h"
#include "server/listeners.h"
#include "server/session/admission.h"
#include "server/session/authentication.h"
#include "server/session/sessions.h"
#include "server/time_keeper.h"

namespace fastjournal::server {

class Acceptor {
 public:
  struct Counters {
    std::uint64_t connections{0};
    std::uint64_t refused{0};
    std::uint64_t silent{0};  // closed because they were silent
  };

  Acceptor(env::Network& network, Sessions& sessions, Listeners const& listeners, Authentication& authentication,
           Replies& replies, TimeKeeper& time, env::Notes& notes, ConnectionLimits limits)
      : network_(network),
        sessions_(sessions),
        listeners_(listeners),
        authentication_(authentication),
        replies_(replies),
        time_(time),
        notes_(notes),
        limits_(limits) {}

  void admit(ConnectionId id, env::Peer const& peer);
  // Closes silent connections. True: more of them follow.
  [[nodiscard]] bool end_silent();

  [[nodiscard]] Counters const& counters() const { return counters_; }

 private:
  void refuse(ConnectionId id, env::Peer const& peer, Status const& why);
  void show_out(Session& session, std::string_view limit, std::string_view why);

  env::Network& network_;
  Sessions& sessions_;
  Listeners const& listeners_;
  Authentication& authentication_;
  Replies& replies_;
  TimeKeeper& time_;
  env::Notes& notes_;
  ConnectionLimits limits_;
  std::int64_t note_at_us_{0};
  Counters counters_;
};

}  // namespace fastjournal::server
