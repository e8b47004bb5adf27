// From bytes to messages: has a session's input read by its protocol and each message handled, as far as its slice of
// the turn's budget, its unsent output and the memory of clients allow. The rest stays in the session's input and stands in
// line. Owned by the server.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "server/answers/replies.h"
#include "server/dispatch/dispatch.h"
#include "server/dispatch/stored_commands.h"
#include "server/logs/served_logs.h"
#include "server/session/authentication.h"
#include "server/session/input_line.h"
#include "server/session/memory_guard.h"
#include "server/session/output.h"
#include "server/session/sessions.h"
#include "server/turn.h"

namespace fastjournal::server {

class Reader {
 public:
  Reader(Sessions& sessions, InputLine& line, MemoryGuard& guard, Output const& output, Replies& replies,
         Dispatch& dispatch, Authentication& authentication, StoredCommands& stored, engine::Engine& engine,
         ServedLogs const& logs, Turn& turn)
      : sessions_(sessions),
        line_(line),
        guard_(guard),
        output_(output),
        replies_(replies),
        dispatch_(dispatch),
        authentication_(authentication),
        stored_(stored),
        engine_(engine),
        logs_(logs),
        turn_(turn) {}

  // Bytes that arrived. The session may be gone afterwards.
  void take(Session& session, std::string_view bytes);
  // At the end of a turn: sessions that have input left go on, until the budget is used up.
  void read_those_in_line();
  // The peer sends nothing more.
  void input_ended(Session& session) { ended_.push_back(session.id); }
  void end_inputs();

  [[nodiscard]] std::uint64_t bytes_taken() const { return bytes_taken_; }
  // Connections that were closed because their first line was not a message.
  [[nodiscard]] std::uint64_t strangers() const { return strangers_; }

 private:
  void read(Session& session, std::string_view unread);
  void forget_token(std::string_view unread) const;
  void keep_rest(Session& session, std::string_view unread, std::size_t consumed);
  void handle(Session& session, Protocol::Piece const& piece);
  void carry_out(Session& session, Protocol::Piece const& piece);
  void note_cost(std::uint64_t looks);

  Sessions& sessions_;
  InputLine& line_;
  MemoryGuard& guard_;
  Output const& output_;
  Replies& replies_;
  Dispatch& dispatch_;
  Authentication& authentication_;
  StoredCommands& stored_;
  engine::Engine& engine_;
  ServedLogs const& logs_;
  Turn& turn_;
  Message message_;                  // memory that is reused
  std::vector<ConnectionId> ended_;  // their input ended, and their protocols do not know so far
  std::uint64_t bytes_taken_{0};
  std::uint64_t strangers_{0};
};

}  // namespace fastjournal::server
