#include "server/answers/engine_replies.h"

#include "server/connections.h"

namespace fastjournal::server {
namespace {

// Of what is said to a connection while an answer is told it in parts.
constexpr std::size_t kAsideMax = 64U << 10U;

}  // namespace

void EngineReplies::answer(ConnectionId connection, Message const& command, Answer& answer,
                           engine::Outcome const& outcome) {
  Session* const session = session_of(connection);
  if (session == nullptr) return;
  session->life.answered();
  connections_.replies.reply(*session, command, answer, outcome);
  connections_.sessions.count(*session);
}

void EngineReplies::end_commit(ConnectionId connection, Message const& command, Answer& answer,
                               engine::Outcome const& outcome) {
  Session* const session = connections_.sessions.find(connection);
  if (session == nullptr) return;
  session->go_on();
  connections_.replies.reply(*session, command, answer, outcome);
  connections_.sessions.end_if_wanted(*session);
  connections_.sessions.count(*session);
}

void EngineReplies::push(log::Log const& rests_on, ConnectionId connection, Answer& messages, TimeMs due,
                         work::ListenMode mode) {
  Session* const session = connections_.sessions.find(connection);
  if (session == nullptr) return;
  if (!connections_.replies.push(*session, messages, rests_on)) return;
  if (due.value != 0) session->out.pushed.push_back({due, mode, session->out.bytes.size()});
  connections_.sessions.count(*session);
}

bool EngineReplies::is_full(ConnectionId connection) {
  Session* const session = session_of(connection);
  if (session == nullptr) return false;
  bool const stopped = connections_.guard.is_stopped(*session);
  if (!stopped && !connections_.output.is_over(*session) && session->out.aside.size() < kAsideMax) return false;
  if (stopped) connections_.guard.stop(*session);
  session->out.told_full = true;
  return true;
}

void EngineReplies::tell_wake(log::Log const& rests_on, WakeMessage const& wake, TypeDeclaration const& type,
                              std::string_view topic) {
  connections_.service.tell_wake(rests_on, wake, type, topic);
}

Session* EngineReplies::session_of(ConnectionId connection) const {
  return connections_.sessions.find(connections_.service.connection_of(connection));
}

void EngineReplies::keeps(ConnectionId connection, std::int64_t bytes) {
  Session* const session = session_of(connection);
  if (session == nullptr) return;
  session->account.kept += static_cast<std::uint64_t>(bytes);
  connections_.sessions.count(*session);
}

}  // namespace fastjournal::server
