// Later replies of the engine to the sessions: answers of commands that waited, pushes, and wakes. Owned by the server.
#pragma once

#include "engine/waiting/served_table.h"

namespace fastjournal::server {

class Connections;
struct Session;

class EngineReplies final : public work::ReplySink {
 public:
  // A pointer: they are made after the engine, which says nothing before.
  explicit EngineReplies(Connections* connections) : connections_(*connections) {}

  void answer(ConnectionId connection, Message const& command, Answer& answer, engine::Outcome const& outcome) override;
  void end_commit(ConnectionId connection, Message const& command, Answer& answer,
                  engine::Outcome const& outcome) override;
  void push(log::Log const& rests_on, ConnectionId connection, Answer& messages, TimeMs due,
            work::ListenMode mode) override;
  [[nodiscard]] bool is_full(ConnectionId connection) override;
  void keeps(ConnectionId connection, std::int64_t bytes) override;
  void tell_wake(log::Log const& rests_on, WakeMessage const& wake, TypeDeclaration const& type,
                 std::string_view topic) override;

 private:
  // Many services share the connection to a communicatord.
  [[nodiscard]] Session* session_of(ConnectionId connection) const;

  Connections& connections_;
};

}  // namespace fastjournal::server
