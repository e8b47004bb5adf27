// What the engine says later, to the sessions: answers of commands that waited, pushes, and wakes. Owned by the server.
#pragma once

#include "engine/waiting/served_table.h"
#include "server/answers/replies.h"
#include "server/communicator/service.h"
#include "server/session/memory_guard.h"
#include "server/session/output.h"
#include "server/session/sessions.h"

namespace fastjournal::server {

class EngineReplies final : public work::ReplySink {
 public:
  EngineReplies(Sessions& sessions, Replies& replies, Output const& output, MemoryGuard& guard,
                communicator::Service& service)
      : sessions_(sessions), replies_(replies), output_(output), guard_(guard), service_(service) {}

  void answer(log::Log const& rests_on, ConnectionId connection, Message const& command, Answer& answer,
              Status const& status) override;
  void end_commit(log::Log const& rests_on, ConnectionId connection, Message const& command, Answer& answer,
                  Status const& status) override;
  void push(log::Log const& rests_on, ConnectionId connection, Answer& messages, TimeMs due,
            work::ListenMode mode) override;
  [[nodiscard]] bool is_full(ConnectionId connection) override;
  void keeps(ConnectionId connection, std::int64_t bytes) override;
  void tell_wake(log::Log const& rests_on, WakeMessage const& wake, TypeDeclaration const& type,
                 std::string_view topic) override {
    service_.tell_wake(rests_on, wake, type, topic);
  }

 private:
  // Many services share the connection to a communicatord.
  [[nodiscard]] Session* session_of(ConnectionId connection) const {
    return sessions_.find(service_.connection_of(connection));
  }

  Sessions& sessions_;
  Replies& replies_;
  Output const& output_;
  MemoryGuard& guard_;
  communicator::Service& service_;
};

}  // namespace fastjournal::server
