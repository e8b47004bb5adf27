// Answers and pushes as bytes of a session's output, written by its protocol and marked with the logs that they rest on.
// Owned by the server. Every command gets an answer: one that there is no memory for costs the connection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "engine/outcome.h"
#include "engine/types.h"
#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"
#include "server/communicator/service.h"
#include "server/logs/commit_pipeline.h"
#include "server/session/memory_guard.h"
#include "server/session/output.h"
#include "server/session/sessions.h"

namespace fastjournal::server {

// Answers with values outside the log (stored_answers.h).
class BytesLater {
 public:
  // True: it was taken, and comes again, whole, by reply_whole or push_whole. False: it is whole now.
  [[nodiscard]] virtual bool answer(Session& session, Message const& command, Answer& answer, log::Log const* log) = 0;
  [[nodiscard]] virtual bool push(Session& session, Answer& messages, log::Log const* log) = 0;

 protected:
  ~BytesLater() = default;
};

// The parts of its command that an answer repeats; the command is gone when the answer leaves.
inline void keep_for_answer(Message const& command, Message& kept) {
  kept.command = command.command;
  kept.from_server = command.from_server;
  kept.from_service = command.from_service;
  if (Value const* const request = command.find("request")) kept.set("request", *request);
  kept.own();
}

class Replies final : public communicator::LinkOutput {
 public:
  Replies(engine::TableTypes const& types, Sessions& sessions, CommitPipeline& pipeline, MemoryGuard& guard,
          Output const& output, BytesLater& later);

  // The answer to a command of this session, or its refusal.
  void reply(Session& session, Message const& command, Answer& answer, engine::Outcome const& outcome) {
    if (answer.has_stored() && outcome.ok() && later_.answer(session, command, answer, outcome.basis.log)) return;
    reply_whole(session, command, answer, outcome);
  }
  void reply_whole(Session& session, Message const& command, Answer& answer, engine::Outcome const& outcome) {
    sessions_.mark_dirty(session);
    pipeline_.rest_on(session, outcome.basis);
    tell(session, command, answer, outcome.status);
  }
  // A part of an answer: so many messages follow these.
  void reply_part(Session& session, Message const& command, Answer& answer, std::uint64_t following,
                  engine::Basis const& basis) {
    sessions_.mark_dirty(session);
    pipeline_.rest_on(session, basis);
    tell(session, command, answer, {}, following);
  }
  // The same, with a mark already.
  void tell(Session& session, Message const& command, Answer& answer, Status const& status,
            std::uint64_t following = 0);
  // Messages that answer no command, resting on this log. False: they come later.
  bool push(Session& session, Answer& messages, log::Log const& rests_on) {
    if (messages.has_stored() && later_.push(session, messages, &rests_on)) return false;
    push_whole(session, messages, {.log = &rests_on});
    return true;
  }
  void push_whole(Session& session, Answer const& messages, engine::Basis const& basis);
  // The answer to what is no message.
  void invalid(Session& session, Status const& status);

  [[nodiscard]] bool send(ConnectionId link, Outgoing const& message, log::Log const* after) override;
  void rest_on_all(ConnectionId link) override;

  [[nodiscard]] std::uint64_t invalid_messages() const { return invalid_messages_; }

 private:
  void write(Session& session, Outgoing const& message);
  // What `append` adds to its output, or the end of the session if there is no memory for that.
  template <typename Append>
  void append(Session& session, Append&& append);

  Sessions& sessions_;
  CommitPipeline& pipeline_;
  MemoryGuard& guard_;
  Output const& output_;
  BytesLater& later_;
  NameTable counted_;          // answers that say how many follow, also one that is alone
  std::vector<Param> params_;  // memory that is reused
  std::uint64_t invalid_messages_{0};
};

}  // namespace fastjournal::server
