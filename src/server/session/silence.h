// Connections by the time since their last message: two queues, one for each limit, so that each is in the order of its
// dates. Every change is O(1), and only the first of each queue is checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>

#include "server/session/session.h"

namespace fastjournal::server {

class Silence {
 public:
  // 0: no limit.
  Silence(std::int64_t first_us, std::int64_t idle_us) : first_{first_us, {}}, idle_{idle_us, {}} {}

  [[nodiscard]] bool watches_idle() const { return idle_.limit_us != 0; }
  // A new connection, without a message.
  void begin(Session& session, std::int64_t now_us) { stand(session, first_, now_us); }
  // It sent a whole message, or accepted output.
  void heard(Session& session, std::int64_t now_us) { stand(session, idle_, now_us); }
  void end(Session& session) {
    if (session.life.silence != nullptr) session.life.silence->erase(session.life.place_in_silence);
    session.life.silence = nullptr;
  }
  // A connection whose time is over; null: none. The caller closes it, or reports a message of it.
  [[nodiscard]] Session* first_over(std::int64_t now_us) const {
    for (Line const* const line : {&first_, &idle_})
      if (line->over_us() <= now_us) return line->sessions.front();
    return nullptr;
  }
  // The next such date; INT64_MAX: none is watched.
  [[nodiscard]] std::int64_t next_us() const { return std::min(first_.over_us(), idle_.over_us()); }

 private:
  // Limits are rounded up to whole seconds, so that a thousand simultaneous connections wake the loop once.
  static constexpr std::int64_t kStepUs = 1'000'000;

  struct Line {
    std::int64_t limit_us;
    std::list<Session*> sessions;

    [[nodiscard]] std::int64_t over_us() const {
      if (sessions.empty()) return INT64_MAX;
      return (sessions.front()->life.silent_since_us + limit_us + kStepUs - 1) / kStepUs * kStepUs;
    }
  };

  // At the end of the queue.
  void stand(Session& session, Line& line, std::int64_t now_us) {
    if (line.limit_us == 0) return end(session);
    session.life.silent_since_us = now_us;
    if (session.life.silence == nullptr)
      session.life.place_in_silence = line.sessions.insert(line.sessions.end(), &session);
    else
      line.sessions.splice(line.sessions.end(), *session.life.silence, session.life.place_in_silence);
    session.life.silence = &line.sessions;
  }

  Line first_;
  Line idle_;
};

}  // namespace fastjournal::server
