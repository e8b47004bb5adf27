#include "clients/cpp/client.h"

#include <utility>

#include "base/check.h"
#include "clients/cpp/connection_body.h"

namespace fastjournal::client {

namespace {

// Names and values are borrowed.
Message message_of(std::string_view command, Params const& params) {
  Message out(command);
  for (Param const& param : params) out.set(param.name, param.value);
  return out;
}

}  // namespace

Connection::Connection(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Connection::~Connection() = default;

Result<std::unique_ptr<Connection>> Connection::open(Options options) {
  auto body = std::make_unique<Body>(std::move(options));
  if (Status connected = body->open(); !connected.ok()) return connected;
  return std::unique_ptr<Connection>(new Connection(std::move(body)));
}

Result<Reply> Connection::call(Message const& command) { return body_->call(command); }

Result<Reply> Connection::call(std::string_view command, Params const& params) {
  return call(message_of(command, params));
}

void Connection::number(Message& command) {
  if (!body_->in_transaction()) body_->numbers.give(command);
}

Result<Reply> Connection::call_numbered(Message& command) {
  bool const is_named = command.has("client") || command.has("sequence");
  number(command);
  Result<Reply> reply = call(command);
  if (is_named || reply.ok() || !body_->numbers.has_no_room(command.text("table"), reply.status())) return reply;
  command.erase("client");
  command.erase("sequence");
  return call(command);
}

std::string const& Connection::client() const { return body_->numbers.client(); }

Result<Ticket> Connection::send(Message const& command, int wake_fd) {
  Result<std::uint64_t> const nr = body_->send(command, wake_fd);
  if (!nr.ok()) return nr.status();
  return Ticket{nr.value()};
}

Result<Reply> Connection::receive(Ticket ticket) { return body_->receive(static_cast<std::uint64_t>(ticket)); }
void Connection::recycle(Reply reply) { body_->recycle(std::move(reply)); }

bool Connection::wait_answer(Ticket ticket, Milliseconds limit, int wake_fd) {
  return body_->wait_answer(static_cast<std::uint64_t>(ticket), limit, wake_fd);
}

Status Connection::flush() { return body_->flush(moment_after(body_->options.time_limit)); }

Status Connection::listen(std::string_view table, Params const& params) {
  Message command = message_of("LISTEN", params);
  command.set("table", table);
  Result<Reply> const reply = call(command);
  if (reply.ok()) body_->remember(command);
  return reply.status();
}

Status Connection::watch(Params const& params) {
  Message const command = message_of("WATCH", params);
  Result<Reply> const reply = call(command);
  if (reply.ok()) body_->remember(command);
  return reply.status();
}

void Connection::keep(Message const& subscription) { body_->remember(subscription); }

Status Connection::unlisten(std::string_view table, Params const& params) {
  Message command = message_of("UNLISTEN", params);
  command.set("table", table);
  body_->forget(command);
  return call(command).status();
}

Result<Message> Connection::wait_push(Milliseconds limit, int wake_fd) { return body_->wait_push(limit, wake_fd); }

Result<std::string> Connection::owner_of(std::string_view table) {
  // Any command would do that only reads.
  Result<Reply> const reply = call("STATS", {{"table", Value::of_text(table)}});
  if (!reply.ok()) return reply.status();
  return body_->address_of(table);
}

std::uint64_t Connection::pushes_dropped() const { return body_->pushes_dropped; }
Options const& Connection::options() const { return body_->options; }
std::uint64_t Connection::connects() const { return body_->connects(); }
bool Connection::is_connected() const { return body_->is_connected(); }

Pipeline::Pipeline(Connection& connection, std::size_t depth, OnReply on_reply)
    : connection_(connection), depth_(depth), on_reply_(std::move(on_reply)), ring_(depth) {
  FJ_CHECK(depth > 0 && depth <= connection.options().in_flight_max, "a pipeline's depth is 1 to in_flight_max");
}

Status Pipeline::send(Message const& command) {
  if (sent_ - received_ == depth_) receive_oldest();
  Result<Ticket> const ticket = connection_.send(command);
  if (!ticket.ok()) return ticket.status();
  ring_[sent_ % depth_] = ticket.value();
  ++sent_;
  return {};
}

void Pipeline::finish() {
  while (received_ < sent_) receive_oldest();
}

void Pipeline::receive_oldest() {
  Result<Reply> reply = connection_.receive(ring_[received_ % depth_]);
  on_reply_(received_++, std::move(reply));
}

}  // namespace fastjournal::client
