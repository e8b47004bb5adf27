// Answers that are told in parts (engine::LongAnswer), those over many tables: one part of a connection each turn, until its
// budget is used up, so that all others are served in between. What is unsent of such an answer is bounded, too: the next
// part is told when its connection has taken most of those before.
//
// The messages of an answer stay together: nothing more is read from its connection meanwhile, and what else is said to
// it is kept until the answer is whole (UnsentOutput::aside). Each part rests on the logs as they are in its turn; figures of
// different tables may be some time apart. Owned by the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "engine/outcome.h"
#include "fastjournal/message.h"
#include "server/answers/replies.h"
#include "server/session/sessions.h"
#include "server/turn.h"

namespace fastjournal::server {

class LongAnswers {
 public:
  // Unsent bytes of a connection, above which its answer waits.
  static constexpr std::size_t kUnsentMax = 1U << 20U;

  LongAnswers(Sessions& sessions, Replies& replies, Turn& turn) : sessions_(sessions), replies_(replies), turn_(turn) {}

  // A part of it was told, if it has any so far.
  void take(Session& session, Message const& command, std::unique_ptr<engine::LongAnswer> parts,
            engine::Basis const& basis);
  // At the end of a turn, before its logs are committed. True: there is more that a connection would take.
  [[nodiscard]] bool go_on(TimeMs now);
  void session_ended(ConnectionId connection);
  [[nodiscard]] bool is_empty() const { return waiting_.empty(); }

 private:
  struct Waiting {
    ConnectionId connection{};
    Message command;  // what an answer repeats of it
    std::unique_ptr<engine::LongAnswer> parts;
    engine::Basis basis{};
    std::uint64_t bytes{0};  // of the parts, in the session's memory
  };

  void tell(Session& session, Waiting& waiting, TimeMs now, std::uint64_t& left);
  void end(Session& session);
  static void keep(Session& session, Waiting& waiting, std::uint64_t bytes);

  Sessions& sessions_;
  Replies& replies_;
  Turn& turn_;
  std::deque<Waiting> waiting_;  // whose turn it is first
  Answer answer_;                // memory that is reused
};

}  // namespace fastjournal::server
