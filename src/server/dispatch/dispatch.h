// From a message to what handles it: names are checked, then it is a command of tables, one of the daemon itself, a
// message of another system, or unknown. Owned by the server. Every message of a session is answered, now or later,
// unless its sender expects no answer.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/engine.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "server/admin/registry.h"
#include "server/answers/replies.h"
#include "server/audit.h"
#include "server/communicator/datagram_messages.h"
#include "server/communicator/service.h"
#include "server/dispatch/alias_commands.h"
#include "server/dispatch/table_commands.h"
#include "server/listeners.h"
#include "server/session/long_answers.h"
#include "server/session/memory_guard.h"
#include "server/session/session.h"
#include "server/turn.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

class Dispatch {
 public:
  struct Counters {
    std::uint64_t messages{0};
    std::uint64_t unknown{0};
    std::uint64_t without_sender{0};  // over the communicatord, and useless without an answer
  };

  Dispatch(engine::Engine& engine, TurnClock& clock, Listeners const& listeners, admin::Registry const& registry,
           TableCommands& commands, AliasCommands& aliases, communicator::Service& service, Replies& replies,
           LongAnswers& long_answers, MemoryGuard& guard, Audit& audit, Turn& turn)
      : engine_(engine),
        clock_(clock),
        listeners_(listeners),
        registry_(registry),
        commands_(commands),
        aliases_(aliases),
        service_(service),
        replies_(replies),
        long_answers_(long_answers),
        guard_(guard),
        audit_(audit),
        turn_(turn) {}

  void handle(Session& session, Message& message);
  // The command of a value that comes in pieces: whether it may come.
  [[nodiscard]] Result<TableCommands::Content> accept_content(Session& session, Message& message, std::uint64_t bytes);
  // Its input is no message, or is refused: an open transaction of it is over.
  void note_refused(Session const& session, Status const& why) {
    if (!why.ok()) engine_.transactions().refused(session.id, clock_.now(), why);
  }
  // Instead of that: it is not run.
  void refuse(Session& session, Message& message, Status const& why);
  // A datagram's: never answered. Only what adds something is run. `bound`: the only table that it reaches; empty: all.
  void handle_unanswered(Message& message, std::string_view bound, communicator::DatagramMessages& source);

  // `connection`: that of the sender, for the engine.
  [[nodiscard]] Speaker speaker_of(Session const& session, ConnectionId connection, Message const& message);
  // On a connection that is bound to a table its commands need not name it.
  void name_bound_table(Session const& session, Message& message) const {
    name_bound_table(session, registry_.find(message.command), message);
  }

  // Parameters of the last answer: a part of the message's cost.
  [[nodiscard]] std::size_t answered_params() const { return answer_.params().size(); }
  [[nodiscard]] Counters const& counters() const { return counters_; }

 private:
  // With answer_, or the refusal.
  void reply(Session& session, Message const& message, engine::Outcome const& outcome) {
    note_refused(session, outcome.status);
    replies_.reply(session, message, answer_, outcome);
  }
  [[nodiscard]] bool refuse_names(Session& session, Message& message);
  [[nodiscard]] bool prepare_from_link(Session& session, Message& message);
  void name_bound_table(Session const& session, std::uint32_t known, Message& message) const;
  void name_table(std::string_view bound, std::uint32_t known, Message& message) const;
  void run_own(Session& session, std::uint32_t number, Message const& message);
  void note_answer();
  // The first part of an answer that is told in several. False: that was all of it.
  [[nodiscard]] bool begin_long(Session& session, Message const& message, engine::Outcome& outcome);
  [[nodiscard]] Status check(Speaker const& speaker, Right right, admin::OwnCommand const& command,
                             Message const& message) const;
  [[nodiscard]] ConnectionId sender_of(Session const& session, Message const& message);

  engine::Engine& engine_;
  TurnClock& clock_;
  Listeners const& listeners_;
  admin::Registry const& registry_;
  TableCommands& commands_;
  AliasCommands& aliases_;
  communicator::Service& service_;
  Replies& replies_;
  LongAnswers& long_answers_;
  MemoryGuard& guard_;
  Audit& audit_;
  Turn& turn_;
  Answer answer_;  // memory that is reused
  Counters counters_;
};

}  // namespace fastjournal::server
