// From bytes to messages: has a session's input read by its protocol and each message handled, as far as its slice of
// the turn's budget, its unsent output and the memory of clients allow. The rest stays in the session's input and stands in
// line. Owned by the server.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "server/commands.h"
#include "server/connections.h"
#include "server/core.h"
#include "server/session/authentication.h"
#include "server/turn.h"

namespace fastjournal::server {

class Reader {
 public:
  Reader(Core& core, Connections& connections, Commands& commands, Authentication& authentication, Turn& turn)
      : core_(core), connections_(connections), commands_(commands), authentication_(authentication), turn_(turn) {}

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
  void note_cost(std::uint64_t work_units);

  Core& core_;
  Connections& connections_;
  Commands& commands_;
  Authentication& authentication_;
  Turn& turn_;
  Message message_;                  // memory that is reused
  std::vector<ConnectionId> ended_;  // their input ended, and their protocols do not know so far
  std::uint64_t bytes_taken_{0};
  std::uint64_t strangers_{0};
};

}  // namespace fastjournal::server
