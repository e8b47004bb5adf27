// Messages of other systems that are commands of a table: translated, run, and answered in the words of their senders.
// A refused one may be kept in a file first (server/communicator/refused_aliases.h). Owned by the server.
#pragma once

#include <cstdint>

#include "base/env/notes.h"
#include "engine/engine.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "server/admin/command.h"
#include "server/answers/replies.h"
#include "server/communicator/aliases.h"
#include "server/communicator/refused_aliases.h"
#include "server/dispatch/table_commands.h"
#include "server/session/sessions.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

class AliasCommands {
 public:
  using Alias = communicator::Aliases::Alias;

  AliasCommands(communicator::Aliases const& aliases, env::Notes& notes, communicator::RefusalFiles& files,
                TableCommands& commands, Sessions& sessions, Replies& replies, TurnClock& clock, engine::Engine& engine)
      : aliases_(aliases),
        refused_(engine, notes, files),
        commands_(commands),
        sessions_(sessions),
        replies_(replies),
        clock_(clock),
        engine_(engine) {}

  // Null: no alias.
  [[nodiscard]] Alias const* find(Message const& message) const { return aliases_.find(message.command); }
  engine::Outcome run(Session& session, Speaker const& speaker, Alias const& alias, Message const& theirs);
  // Without an answer.
  [[nodiscard]] engine::Outcome run_unanswered(Speaker const& speaker, Alias const& alias, Message const& theirs);
  // It cannot be run.
  void refuse(Session& session, Alias const& alias, Message const& theirs, engine::Outcome const& refusal);
  // The outcome of RefusalFiles::keep_refused: the message is durable, or the reason why not.
  void refused_kept(std::uint64_t ticket, Status const& status);

 private:
  void reply(Session& session, Alias const& alias, Message const& theirs, bool accepted, engine::Basis const& basis);

  communicator::Aliases const& aliases_;
  communicator::RefusedAliases refused_;
  TableCommands& commands_;
  Sessions& sessions_;
  Replies& replies_;
  TurnClock& clock_;
  engine::Engine& engine_;
  Message translated_;  // memory that is reused
  Answer answer_;
};

}  // namespace fastjournal::server
