// Whose unread input is next, where a turn's budget is not enough for all of it: in turns, a slice each, beginning with
// those that had none since they sent something, so that no client waits for all commands of another. Owned by the
// server. A session is in at most one of the two lines, once (UnreadInput::is_in_line); sessions that are gone are skipped.
#pragma once

#include <deque>
#include <vector>

#include "base/env/network.h"
#include "server/session/sessions.h"

namespace fastjournal::server {

class InputLine {
 public:
  InputLine(env::Network& network, Sessions const& sessions) : network_(network), sessions_(sessions) {}

  // The rest of its input is read when it is its turn: its first since that arrived, or another one.
  void stand_first(Session& session) { stand(session, first_); }
  void stand_again(Session& session) { stand(session, again_); }
  [[nodiscard]] bool is_empty() const { return first_.empty() && again_.empty(); }
  // Takes the next one out; null: it is gone, or nothing is read from it. The line is not empty.
  [[nodiscard]] Session* take() {
    std::deque<ConnectionId>& line = first_.empty() ? again_ : first_;
    Session* const session = sessions_.find(line.front());
    line.pop_front();
    if (session == nullptr || !session->in.is_in_line) return nullptr;
    session->in.is_in_line = false;
    return session->life.is_ending() ? nullptr : session;
  }

  // The network reads from it exactly while its input can be taken.
  void pause_reading(Session& session) {
    // An answer that is under way pauses only what has sent more: the end of others is still noticed.
    bool const pause = session.in.pause != UnreadInput::Pause::none || session.in.is_in_line ||
                       session.life.is_ending() || session.life.logs_in();
    if (pause == session.in.reading_paused) return;
    session.in.reading_paused = pause;
    network_.pause_reading(session.id, pause);
  }
  // At the end of the turn. Reading stops only for those that are left, to save calls.
  void pause_those_left() {
    for (ConnectionId const id : queued_)
      if (Session* const session = sessions_.find(id)) pause_reading(*session);
    queued_.clear();
    if (!is_empty()) network_.turn_again();
  }

 private:
  void stand(Session& session, std::deque<ConnectionId>& line) {
    if (session.in.is_in_line) return;
    session.in.is_in_line = true;
    line.push_back(session.id);
    queued_.push_back(session.id);
  }

  env::Network& network_;
  Sessions const& sessions_;
  std::deque<ConnectionId> first_;
  std::deque<ConnectionId> again_;
  std::vector<ConnectionId> queued_;  // in this turn
};

}  // namespace fastjournal::server
