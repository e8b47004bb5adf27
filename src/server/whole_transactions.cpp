#include "server/whole_transactions.h"

#include <string>

#include "protocol/commands.h"
#include "protocol/names.h"

namespace fastjournal::server {

void WholeTransactions::run_whole(admin::Request& request) {
  run(request);
  // They were copied, and may be as large as a message.
  messages_.clear();
  std::string{}.swap(decoded_);
}

void WholeTransactions::run(admin::Request& request) {
  Session* const session = sessions_.find(request.caller.connection);
  if (session == nullptr) return;
  engine::Transactions& transactions = engine_.transactions();
  ConnectionId const connection = session->id;
  Value const* const commands = request.message.find("commands");
  if (commands == nullptr) {
    request.status =
        Status{Code::missing_parameter, "TRANSACTION needs the parameter commands"}.with("parameter", "commands");
    return;
  }
  request.status = protocol::read_commands(*commands, engine::Transactions::kOpsMax, decoded_, messages_);
  if (!request.status.ok()) {
    request.status = std::move(request.status).with("parameter", "commands");
    return;
  }
  Result<TransactionId> const begun = transactions.begin(connection, {}, request.now);
  if (!begun.ok()) {
    request.status = begun.status();
    return;
  }
  std::size_t number = 0;
  for (Message& command : messages_) {
    ++number;
    if (Status status = promise(*session, command); !status.ok()) {
      // A command that was refused by the engine has ended it already.
      static_cast<void>(transactions.roll_back(connection, request.now, promised_));
      request.status = std::move(status).with("op", std::to_string(number));
      return;
    }
  }
  engine::Branches::Resting rests;
  request.status = engine_.commit(connection, request.message, request.now, request.answer, rests);
  request.is_later = rests.is_later;
  if (rests.log != nullptr) request.basis.log = rests.log->log;
}

Status WholeTransactions::promise(Session& session, Message& command) {
  if (Status status = protocol::check_head_names(command); !status.ok()) return status;
  dispatch_.name_bound_table(session, command);
  Status status;
  admin::Basis basis;
  promised_.clear();
  if (!commands_.is_promised(command, status)) return status;
  static_cast<void>(
      commands_.run(dispatch_.speaker_of(session, session.id, command), command, promised_, status, basis));
  return status;
}

}  // namespace fastjournal::server
