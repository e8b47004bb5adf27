// TRANSACTION: the commands of a transaction in one message (wire/commands.h). They are promised and committed in
// one turn, or nothing is done; values that belong outside the log are stored before that. For whoever has no connection
// of his own (HTTP), and in one round trip. Owned by the server.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "fastjournal/message.h"
#include "server/admin/commands.h"
#include "server/dispatch/dispatch.h"
#include "server/dispatch/stored_commands.h"
#include "server/dispatch/table_commands.h"
#include "server/session/sessions.h"

namespace fastjournal::server {

class WholeTransactions final : public admin::WholeTransactions {
 public:
  WholeTransactions(engine::Engine& engine, Sessions& sessions, Dispatch& dispatch, TableCommands& commands,
                    StoredCommands& stored)
      : engine_(engine), sessions_(sessions), dispatch_(dispatch), commands_(commands), stored_(stored) {}

  void run_whole(admin::Request& request) override;

 private:
  void run(admin::Request& request);
  // False: the commands come again when their values are stored, or are refused.
  [[nodiscard]] bool has_values_stored(Session& session, admin::Request& request);
  [[nodiscard]] Status promise(Session& session, Message& command);

  engine::Engine& engine_;
  Sessions& sessions_;
  Dispatch& dispatch_;
  TableCommands& commands_;
  StoredCommands& stored_;
  // The commands of the message that is run, and the frames in it that were base64.
  std::vector<Message> messages_;
  std::string decoded_;
  Answer promised_;
};

}  // namespace fastjournal::server
