// TRANSACTION: the commands of a transaction in one message (protocol/commands.h). They are promised and committed in
// one turn, or nothing is done. For whoever has no connection of his own (HTTP), and in one round trip. Owned by the
// server.
#pragma once

#include <string>
#include <vector>

#include "admin/commands.h"
#include "engine/engine.h"
#include "fastjournal/message.h"
#include "server/dispatch.h"
#include "server/sessions.h"
#include "server/table_commands.h"

namespace fastjournal::server {

class WholeTransactions final : public admin::WholeTransactions {
 public:
  WholeTransactions(engine::Engine& engine, Sessions& sessions, Dispatch& dispatch, TableCommands& commands)
      : engine_(engine), sessions_(sessions), dispatch_(dispatch), commands_(commands) {}

  void run_whole(admin::Request& request) override;

 private:
  void run(admin::Request& request);
  [[nodiscard]] Status promise(Session& session, Message& command);

  engine::Engine& engine_;
  Sessions& sessions_;
  Dispatch& dispatch_;
  TableCommands& commands_;
  // The commands of the message that is run, and the frames in it that were base64.
  std::vector<Message> messages_;
  std::string decoded_;
  Answer promised_;
};

}  // namespace fastjournal::server
