#include "clients/cpp/transaction.h"

#include <iterator>
#include <utility>

#include "clients/cpp/answers.h"
#include "wire/msgpack.h"

namespace fastjournal::client {

void Transaction::add(Message const& command) {
  protocol::append_frame({.command = command.command, .params = command.params()}, commands_);
  ++size_;
}

void Transaction::add(std::string_view command, Params const& params) {
  protocol::append_frame({.command = command, .params = params}, commands_);
  ++size_;
}

Result<std::vector<Message>> Transaction::commit() {
  Message message("TRANSACTION");
  message.set("commands", Value::of_binary(commands_));
  Result<Reply> reply = connection_.call(message);
  clear();
  if (!reply.ok()) return reply.status();
  if (reply->first().command != "COMMITTED") return unexpected(reply->first(), "COMMITTED");
  std::vector<Message>& all = reply.value().messages;
  return std::vector<Message>{std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end())};
}

void Transaction::clear() {
  commands_.clear();
  size_ = 0;
}

}  // namespace fastjournal::client
