#include "server/answers/engine_replies.h"

namespace fastjournal::server {
namespace {

// Of what is said to a connection while an answer is told it in parts.
constexpr std::size_t kAsideMax = 64U << 10U;

}  // namespace

void EngineReplies::answer(log::Log const& rests_on, ConnectionId connection, Message const& command, Answer& answer,
                           Status const& status) {
  Session* const session = session_of(connection);
  if (session == nullptr) return;
  if (session->waiting != 0) --session->waiting;
  replies_.reply(*session, command, answer, status, {.log = &rests_on});
  sessions_.count(*session);
}

void EngineReplies::end_commit(log::Log const& rests_on, ConnectionId connection, Message const& command,
                               Answer& answer, Status const& status) {
  Session* const session = sessions_.find(connection);
  if (session == nullptr) return;
  session->commits = false;
  session->held_back = true;  // its input goes on when what it gets is written
  if (session->waiting != 0) --session->waiting;
  replies_.reply(*session, command, answer, status, {.log = &rests_on});
  sessions_.end_if_wanted(*session);
  sessions_.count(*session);
}

void EngineReplies::push(log::Log const& rests_on, ConnectionId connection, Answer& messages, TimeMs due,
                         work::ListenMode mode) {
  Session* const session = sessions_.find(connection);
  if (session == nullptr) return;
  if (!replies_.push(*session, messages, rests_on)) return;
  if (due.value != 0) session->pushed.push_back({due, mode, session->out.size()});
  sessions_.count(*session);
}

bool EngineReplies::is_full(ConnectionId connection) {
  Session* const session = session_of(connection);
  if (session == nullptr) return false;
  bool const stopped = guard_.is_stopped(*session);
  if (!stopped && !output_.is_over(*session) && session->aside.size() < kAsideMax) return false;
  if (stopped) guard_.stop(*session);
  session->told_full = true;
  return true;
}

void EngineReplies::keeps(ConnectionId connection, std::int64_t bytes) {
  Session* const session = session_of(connection);
  if (session == nullptr) return;
  session->kept += static_cast<std::uint64_t>(bytes);
  sessions_.count(*session);
}

}  // namespace fastjournal::server
