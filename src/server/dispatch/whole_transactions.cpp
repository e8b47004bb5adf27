#include "server/dispatch/whole_transactions.h"

#include <deque>
#include <string>

#include "wire/commands.h"
#include "wire/names.h"

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
  if (!transactions.has(connection) && !has_values_stored(*session, request)) return;
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
  promised_.clear();
  if (!commands_.is_promised(command, status)) return status;
  return commands_.promise(dispatch_.speaker_of(session, session.id, command), command, promised_);
}

bool WholeTransactions::has_values_stored(Session& session, admin::Request& request) {
  if (stored_.fill(messages_)) return true;
  std::deque<StoredCommands::WholeRequest> wishes;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    Message& command = messages_[i];
    // What is no command is refused when its turn comes.
    if (!protocol::check_head_names(command).ok()) continue;
    dispatch_.name_bound_table(session, command);
    Speaker const speaker = dispatch_.speaker_of(session, session.id, command);
    StoredCommands::WholeRequest& wish = wishes.emplace_back();
    wish.command = i;
    Status status;
    wish.table = commands_.wish_to_store(speaker, command, wish.wish, status);
    if (status.ok() && wish.table != nullptr && wish.wish.must && !speaker.may_store)
      status = StoredCommands::refusal_without_connection(command);
    if (!status.ok()) {
      request.status = std::move(status).with("op", std::to_string(i + 1));
      return false;
    }
    if (wish.table == nullptr || !speaker.may_store) wishes.pop_back();
  }
  if (wishes.empty()) return true;
  request.status = stored_.store_whole(session, request.message, wishes);
  request.is_later = request.status.ok();
  return false;
}

}  // namespace fastjournal::server
