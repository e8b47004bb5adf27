// The connections: who may come, who is silent for too long, and what each one takes. Owned by the server. Whatever a
// session was given when it came (its place, its account of memory, its date in the queue of the silent) is given back
// when it goes, in whichever way; nothing else removes one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/env/network.h"
#include "fastjournal/protocol.h"
#include "fastjournal/rights.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "server/session/admission.h"
#include "server/session/client_memory.h"
#include "server/session/session.h"
#include "server/session/silence.h"
#include "server/time_keeper.h"

namespace fastjournal::server {

// Told of each session that is gone: what others keep for its connection ends too.
class SessionEnd {
 public:
  virtual void session_ended(Session const& session) = 0;

 protected:
  ~SessionEnd() = default;
};

class Sessions {
 public:
  // `memory_bytes`: for everything that clients cause beside rows (client_memory.h).
  Sessions(env::Network& network, TimeKeeper& time, std::uint64_t memory_bytes, ConnectionLimits limits,
           SessionEnd& end)
      : network_(network),
        time_(time),
        end_(end),
        memory_(memory_bytes, limits.most + limits.reserved),
        admission_(limits),
        silence_(limits.first_message_us, limits.idle_us) {}

  // over_limit: there is no place for it.
  [[nodiscard]] Result<Session*> admit(ConnectionId id, env::Peer const& peer, Rights rights,
                                       std::unique_ptr<Protocol> protocol);
  // A connection that the daemon opened: it has a place in any case.
  Session& open_link(ConnectionId id, env::Peer const& peer, Rights rights, Called called,
                     std::unique_ptr<Protocol> protocol);

  // Null: there is none, or not any more.
  [[nodiscard]] Session* find(ConnectionId id) const {
    auto const found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : found->second.get();
  }
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }
  // Of these, by what they speak.
  [[nodiscard]] std::size_t speaking(Spoken spoken) const {
    return spoken == Spoken::messages ? size() - speaking(Spoken::http) - speaking(Spoken::other)
                                      : speaking_[static_cast<std::size_t>(spoken)];
  }
  // Once, of one that does not speak messages.
  void speaks(Session& session, Spoken spoken) {
    session.speaks = spoken;
    ++speaking_[static_cast<std::size_t>(spoken)];
  }
  // In no order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (auto const& [id, session] : sessions_) visit(*session);
  }

  // Ends it and its connection.
  void close(Session& session);
  // The network says that the connection is gone.
  void gone(ConnectionId id);
  // Nothing more is read from it; it is closed when its output was sent.
  void end_after_answers(Session& session);
  // It was to end when what it waited for was told.
  void end_if_wanted(Session& session) {
    if (session.life.end == SessionLife::End::after_answers && !session.life.keeps_waiting())
      end_after_answers(session);
  }

  // It has output to send, or is to be closed, at the end of the turn.
  void mark_dirty(Session& session) {
    if (session.out.dirty) return;
    session.out.dirty = true;
    dirty_.push_back(&session);
  }
  // Those, each once, in order; the list is empty from here on. `into` is empty.
  void take_dirty(std::vector<Session*>& into) { into.swap(dirty_); }
  [[nodiscard]] bool has_dirty() const { return !dirty_.empty(); }

  [[nodiscard]] ClientMemory& memory() { return memory_; }
  [[nodiscard]] ClientMemory const& memory() const { return memory_; }
  // Its memory is counted anew.
  void count(Session& session) { memory_.set(session.account, session.memory_bytes()); }

  // It sent a whole message, or took output. Called for each read: without a limit only new connections cost anything.
  void heard(Session& session) {
    if (!session.life.is_known || session.is_link() || (session.life.is_ending() && session.out.files.empty())) return;
    if (session.life.silence != nullptr || silence_.watches_idle()) silence_.heard(session, time_.monotonic_us());
  }
  // One that was silent for too long and waits for nothing; null: none.
  [[nodiscard]] Session* first_silent(std::int64_t now_us) const { return silence_.first_over(now_us); }
  // It may be silent for as long again.
  void excuse(Session& session, std::int64_t now_us) { silence_.heard(session, now_us); }
  // The next date at which one may be; INT64_MAX: never.
  [[nodiscard]] std::int64_t next_silent_us() const { return silence_.next_us(); }

 private:
  void forget(Session& session);

  env::Network& network_;
  TimeKeeper& time_;
  SessionEnd& end_;
  ClientMemory memory_;
  Admission admission_;
  Silence silence_;
  std::unordered_map<ConnectionId, std::unique_ptr<Session>> sessions_;  // never iterated for its order
  std::vector<Session*> dirty_;
  std::array<std::size_t, 3> speaking_{};  // by Spoken; not those of messages
};

}  // namespace fastjournal::server
