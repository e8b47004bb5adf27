#include "server/dispatch/whole_transactions.h"

#include <deque>
#include <string>

#include "wire/commands.h"
#include "wire/names.h"

namespace fastjournal::server {

engine::Outcome WholeTransactions::run(admin::Request const& request) {
  engine::Outcome outcome = commit_all(request);
  // They were copied, and may be as large as a message.
  messages_.clear();
  std::string{}.swap(decoded_);
  return outcome;
}

engine::Outcome WholeTransactions::commit_all(admin::Request const& request) {
  Session* const session = sessions_.find(request.caller.connection);
  if (session == nullptr) return {};
  engine::Transactions& transactions = engine_.transactions();
  ConnectionId const connection = session->id;
  Value const* const commands = request.message.find("commands");
  if (commands == nullptr)
    return Status{Code::missing_parameter, "TRANSACTION needs the parameter commands"}.with("parameter", "commands");
  Status status = protocol::read_commands(*commands, engine::Transactions::kOpsMax, decoded_, messages_);
  if (!status.ok()) return std::move(status).with("parameter", "commands");
  if (!transactions.has(connection))
    if (std::optional<engine::Outcome> first = store_values(*session, request)) return std::move(*first);
  Result<TransactionId> const begun = transactions.begin(connection, {}, request.now);
  if (!begun.ok()) return begun.status();
  std::size_t number = 0;
  for (Message& command : messages_) {
    ++number;
    if (status = promise(*session, command); status.ok()) continue;
    // A command that was refused by the engine has ended it already.
    static_cast<void>(transactions.roll_back(connection, request.now, promised_));
    return std::move(status).with("op", std::to_string(number));
  }
  return engine_.commit(connection, request.message, request.now, request.answer);
}

Status WholeTransactions::promise(Session& session, Message& command) {
  if (Status status = protocol::check_head_names(command); !status.ok()) return status;
  dispatch_.name_bound_table(session, command);
  promised_.clear();
  if (Status status = commands_.check_promised(command); !status.ok()) return status;
  return commands_.promise(dispatch_.speaker_of(session, session.id, command), command, promised_);
}

std::optional<engine::Outcome> WholeTransactions::store_values(Session& session, admin::Request const& request) {
  if (stored_.fill(messages_)) return std::nullopt;
  std::deque<StoredCommands::WholeRequest> requests;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    Message& command = messages_[i];
    // A message that is no command is refused when its turn comes.
    if (!protocol::check_head_names(command).ok()) continue;
    dispatch_.name_bound_table(session, command);
    Speaker const speaker = dispatch_.speaker_of(session, session.id, command);
    StoredCommands::WholeRequest& one = requests.emplace_back();
    one.command = i;
    Result<engine::HostedTable*> const table = commands_.request_store(speaker, command, one.store);
    Status status = table.status();
    if (status.ok()) one.table = table.value();
    if (one.table != nullptr && one.store.must && !speaker.may_store)
      status = StoredCommands::refusal_without_connection(command);
    if (!status.ok()) return std::move(status).with("op", std::to_string(i + 1));
    if (one.table == nullptr || !speaker.may_store) requests.pop_back();
  }
  if (requests.empty()) return std::nullopt;
  return stored_.store_whole(session, request.message, requests);
}

}  // namespace fastjournal::server
