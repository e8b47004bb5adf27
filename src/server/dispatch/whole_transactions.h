// TRANSACTION: the commands of a transaction in one message (wire/commands.h). They are promised and committed in one
// turn, or nothing is done; values that belong outside the log are stored before that. For clients without a connection
// of their own (HTTP), and in one round trip. Owned by the server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "fastjournal/message.h"
#include "server/admin/command.h"
#include "server/dispatch/dispatch.h"
#include "server/dispatch/stored_commands.h"
#include "server/dispatch/table_commands.h"
#include "server/session/sessions.h"

namespace fastjournal::server {

class WholeTransactions {
 public:
  WholeTransactions(engine::Engine& engine, Sessions& sessions, Dispatch& dispatch, TableCommands& commands,
                    StoredCommands& stored)
      : engine_(engine), sessions_(sessions), dispatch_(dispatch), commands_(commands), stored_(stored) {}

  [[nodiscard]] engine::Outcome run(admin::Request const& request);

 private:
  [[nodiscard]] engine::Outcome commit_all(admin::Request const& request);
  // None: their values are stored. Else the commands come again when they are, or are refused.
  [[nodiscard]] std::optional<engine::Outcome> store_values(Session& session, admin::Request const& request);
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
