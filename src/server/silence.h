// Connections by how long they have said nothing: two lines, each in the order of
// its dates, as all who stand in one have the same limit. So whoever comes,
// speaks or goes moves in O(1), and only the first of each is looked at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>

#include "server/session.h"

namespace fastjournal::server {

class Silence {
 public:
  // 0: no limit.
  Silence(std::int64_t first_us, std::int64_t idle_us) : first_{first_us, {}}, idle_{idle_us, {}} {}

  [[nodiscard]] bool watches_idle() const { return idle_.limit_us != 0; }
  // It came, and has said nothing yet.
  void begin(Session& session, std::int64_t now_us) { stand(session, first_, now_us); }
  // It said a whole message, or took bytes of ours.
  void heard(Session& session, std::int64_t now_us) { stand(session, idle_, now_us); }
  void end(Session& session) {
    if (session.silence != nullptr) session.silence->erase(session.place_in_silence);
    session.silence = nullptr;
  }
  // One whose time is over; null: none. The caller ends it, or hears it.
  [[nodiscard]] Session* first_over(std::int64_t now_us) const {
    for (Line const* const line : {&first_, &idle_})
      if (line->over_us() <= now_us) return line->sessions.front();
    return nullptr;
  }
  // When there is one; INT64_MAX: nobody is watched.
  [[nodiscard]] std::int64_t next_us() const { return std::min(first_.over_us(), idle_.over_us()); }

 private:
  // Ends come on whole seconds, so that a thousand who came together wake the loop once.
  static constexpr std::int64_t kStepUs = 1'000'000;

  struct Line {
    std::int64_t limit_us;
    std::list<Session*> sessions;

    [[nodiscard]] std::int64_t over_us() const {
      if (sessions.empty()) return INT64_MAX;
      return (sessions.front()->silent_since_us + limit_us + kStepUs - 1) / kStepUs * kStepUs;
    }
  };

  // At the end of the line.
  void stand(Session& session, Line& line, std::int64_t now_us) {
    if (line.limit_us == 0) return end(session);
    session.silent_since_us = now_us;
    if (session.silence == nullptr)
      session.place_in_silence = line.sessions.insert(line.sessions.end(), &session);
    else
      line.sessions.splice(line.sessions.end(), *session.silence, session.place_in_silence);
    session.silence = &line.sessions;
  }

  Line first_;
  Line idle_;
};

}  // namespace fastjournal::server
