// Measures against too much memory of clients (client_memory.h), and at the end of the process's own. Connections over
// their share are not read. Those that were stopped within a message may finish it, one after the other. If that is not
// enough, the largest connection is closed. The others notice nothing.
//
// Owned by the server. Every session that it stopped is in its list until it goes on or is gone.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/env/network.h"
#include "base/may_fail.h"
#include "engine/engine.h"
#include "server/daemon_alerts.h"
#include "server/server_host.h"
#include "server/session/client_memory.h"
#include "server/session/sessions.h"
#include "server/time_keeper.h"

namespace fastjournal::server {

// A connection was closed because clients took too much memory.
inline constexpr std::string_view kClientMemoryShort = "client-memory-short";
// The process could get no more memory.
inline constexpr std::string_view kMemoryEnded = "memory-ended";

// Sends and reads again for a session that was stopped.
class Resume {
 public:
  virtual void resume(Session& session) = 0;

 protected:
  ~Resume() = default;
};

class MemoryGuard {
 public:
  // A connection that may finish its message does not continue after an answer of this size.
  static constexpr std::size_t kLetOnBytes = 256U << 10U;
  // A buffer of this size may not use the memory reserve; no connection is closed for less.
  static constexpr std::size_t kBufferMayFail = 1U << 20U;

  MemoryGuard(Sessions& sessions, engine::Engine& engine, DaemonAlerts& alerts, MemoryReserve& reserve,
              env::Network& network, TimeKeeper& time)
      : memory_(sessions.memory()),
        sessions_(sessions),
        engine_(engine),
        alerts_(alerts),
        reserve_(reserve),
        network_(network),
        time_(time) {}

  // Nothing may be read from it now.
  [[nodiscard]] bool is_stopped(Session const& session) const {
    if (session.account.lost || memory_.is_over()) return true;
    if (session.account.let_on_until_us != 0) return false;
    return memory_ended_ ? session.account.large : memory_.is_greedy(session.account);
  }
  // It goes on when it is not stopped any more.
  void stop(Session& session);
  // Whether it is stopped; then it waits from here on.
  [[nodiscard]] bool stops(Session& session) {
    if (!is_stopped(session)) return false;
    stop(session);
    return true;
  }
  [[nodiscard]] bool is_short() const { return memory_.is_short(); }
  // Empty buffers are given back meanwhile.
  [[nodiscard]] bool is_scarce() const { return memory_ended_ || memory_.is_short(); }

  // Appends to its input. False: there is no memory for it.
  [[nodiscard]] bool take_in(Session& session, std::string_view bytes);
  // There is no memory for a message of so many bytes, and for what is made of it.
  [[nodiscard]] bool refuses(std::size_t message_bytes) const {
    return message_bytes > kLargeBytes && !is_memory_there(kCopies * message_bytes);
  }
  // There was no memory for its answer: it will be closed, and its client asks again.
  void lose(Session& session);
  void close_for_memory(Session& session, std::string_view why);

  // Before each command: what adds is refused from the moment in which memory ends.
  void look_at_reserve() {
    if (!memory_ended_ && reserve_.has_memory_ended()) begin_end();
  }
  // At the end of a turn, after output was sent.
  void end_turn(Resume& resume);
  // The next date at which end_turn has work without a cause; INT64_MAX: never.
  [[nodiscard]] std::int64_t next_us() const {
    return stopped_.empty() && let_on_.empty() && !memory_ended_ ? INT64_MAX : let_on_at_us_;
  }
  // Lowers the alerts that are over. True: ask again in a second.
  [[nodiscard]] bool check_alerts();

  [[nodiscard]] std::uint64_t held() const { return stopped_.size(); }
  // Connections that were closed.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  // Messages from this size on are begun only if there is memory to read, decide, log, apply and answer them.
  static constexpr std::size_t kLargeBytes = 256U << 10U;
  static constexpr std::size_t kCopies = 4;

  void begin_end();
  void look_after_end();
  void relieve(Resume& resume);
  void go_on(Session& session, Resume& resume);
  [[nodiscard]] static std::uint64_t room_at_end();
  void let_on(std::int64_t now_us, Resume& resume);
  void give_back_all_buffers();
  bool close_greediest();

  ClientMemory& memory_;
  Sessions& sessions_;
  engine::Engine& engine_;
  DaemonAlerts& alerts_;
  MemoryReserve& reserve_;
  env::Network& network_;
  TimeKeeper& time_;
  std::vector<ConnectionId> stopped_;  // may include sessions that are gone
  std::vector<ConnectionId> let_on_;
  std::vector<ConnectionId> lost_;
  bool was_short_{false};
  bool memory_ended_{false};
  bool end_is_told_{false};
  std::int64_t memory_ended_us_{0};
  std::int64_t let_on_at_us_{0};
  std::int64_t stuck_since_us_{0};
  std::int64_t refused_at_us_{0};
  std::uint64_t refused_{0};
};

}  // namespace fastjournal::server
