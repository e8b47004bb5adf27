// Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.
// clang-format off
// The calls of made_queues.h.
#include "clients/cpp/made_queues_messages.h"
#include "clients/cpp/queues.h"

namespace fastjournal::client {

Result<QueueMessage> queue_message_of(Message const& message) {
  if (message.command != "MESSAGE") return unexpected(message, "MESSAGE");
  return queue_message_from(message);
}

Message Queues::send_of(std::string_view queue, std::string_view body, SendOptions const& options) {
  Message command = command_on(table_, "SEND");
  command.set("queue", queue);
  set_bytes(command, "body", "body_binary", body, options.binary);
  set_options(command, options);
  return command;
}

Result<Sent> Queues::send(std::string_view queue, std::string_view body, SendOptions const& options) {
  Message command = send_of(queue, body, options);
  return then_first(connection_.call_numbered(command), sent_of);
}

Message Queues::publish_of(std::string_view exchange, std::string_view routing_key, std::string_view body,
                           SendOptions const& options) {
  Message command = command_on(table_, "SEND");
  command.set("exchange", exchange);
  set_if_any(command, "routing_key", routing_key);
  set_bytes(command, "body", "body_binary", body, options.binary);
  set_options(command, options);
  return command;
}

Result<Sent> Queues::publish(std::string_view exchange, std::string_view routing_key, std::string_view body,
                             SendOptions const& options) {
  Message command = publish_of(exchange, routing_key, body, options);
  return then_first(connection_.call_numbered(command), sent_of);
}

Result<TimeMs> Queues::touch(QueueMessage const& message, std::optional<DurationMs> lease) {
  Message command = command_about(message, "message", message.message, table_, "TOUCH");
  set_span(command, "lease", lease);
  return end_of(connection_.call(command), "lease_end");
}

Message Queues::accept_of(QueueMessage const& message) const {
  Message command = command_about(message, "message", message.message, table_, "ACCEPT");
  return command;
}

Status Queues::accept(QueueMessage const& message) {
  Message command = accept_of(message);
  return connection_.call(command).status();
}

Message Queues::release_of(QueueMessage const& message, GiveBackOptions const& options) const {
  Message command = command_about(message, "message", message.message, table_, "RELEASE");
  set_options(command, options);
  return command;
}

Result<ReturnedMessage> Queues::release(QueueMessage const& message, GiveBackOptions const& options) {
  Message command = release_of(message, options);
  return then_first(report(connection_, command), returned_of);
}

Message Queues::reject_of(QueueMessage const& message, std::string_view error, std::string_view error_trace) const {
  Message command = command_about(message, "message", message.message, table_, "REJECT");
  set_error(command, "error", error, 1024);
  set_error(command, "error_trace", error_trace, 16384);
  return command;
}

Result<ReturnedMessage> Queues::reject(QueueMessage const& message, std::string_view error,
                                       std::string_view error_trace) {
  Message command = reject_of(message, error, error_trace);
  return then_first(report(connection_, command), returned_of);
}

Result<std::uint64_t> Queues::count(std::string_view queue, std::string_view status) {
  Message command = command_on(table_, "COUNT");
  set_if_any(command, "queue", queue);
  set_if_any(command, "status", status);
  return sum_of_pages(connection_, command, "count", UINT64_MAX);
}

Result<QueueMessage> Queues::read(std::uint64_t message) {
  Message command = command_on(table_, "READ");
  command.set("message", Value::of_unsigned(message));
  return then_first(connection_.call(command), queue_message_of);
}

Result<Reason> Queues::why(std::uint64_t message) {
  Message command = command_on(table_, "WHY");
  command.set("message", Value::of_unsigned(message));
  return then_first(connection_.call(command), reason_of);
}

Result<std::vector<Queue>> Queues::queues() {
  Message command = command_on(table_, "QUEUES");
  return all_pages(connection_, command, queue_of);
}

Result<std::vector<Exchange>> Queues::exchanges() {
  Message command = command_on(table_, "EXCHANGES");
  return all_pages(connection_, command, exchange_of);
}

Result<std::vector<Binding>> Queues::bindings(std::string_view exchange, std::string_view queue) {
  Message command = command_on(table_, "BINDINGS");
  set_if_any(command, "exchange", exchange);
  set_if_any(command, "queue", queue);
  return all_pages(connection_, command, binding_of);
}

Result<Declared> Queues::declare(std::string_view queue, QueueOptions const& options) {
  Message command = command_on(table_, "DECLARE");
  command.set("queue", queue);
  set_options(command, options);
  return then_first(connection_.call(command), declared_of);
}

Result<Declared> Queues::declare_exchange(std::string_view exchange, ExchangeKind kind) {
  Message command = command_on(table_, "DECLARE");
  command.set("exchange", exchange);
  command.set("kind", kExchangeKindWords[static_cast<std::size_t>(kind)]);
  return then_first(connection_.call(command), declared_of);
}

Status Queues::remove(std::string_view queue, bool if_empty) {
  Message command = command_on(table_, "REMOVE");
  command.set("queue", queue);
  set_flag(command, "if_empty", if_empty);
  return connection_.call(command).status();
}

Status Queues::remove_exchange(std::string_view exchange) {
  Message command = command_on(table_, "REMOVE");
  command.set("exchange", exchange);
  return connection_.call(command).status();
}

Result<Declared> Queues::bind(std::string_view exchange, std::string_view queue, BindOptions const& options) {
  Message command = command_on(table_, "BIND");
  command.set("exchange", exchange);
  command.set("queue", queue);
  set_options(command, options);
  return then_first(connection_.call(command), declared_of);
}

Status Queues::unbind(std::string_view exchange, std::string_view queue, std::string_view routing_key) {
  Message command = command_on(table_, "UNBIND");
  command.set("exchange", exchange);
  command.set("queue", queue);
  set_if_any(command, "routing_key", routing_key);
  return connection_.call(command).status();
}

Result<std::uint64_t> Queues::purge(std::string_view queue, ChangeOptions const& options) {
  Message command = command_on(table_, "PURGE");
  command.set("queue", queue);
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Result<std::uint64_t> Queues::move(std::string_view queue, std::string_view to, ChangeOptions const& options) {
  Message command = command_on(table_, "MOVE");
  command.set("queue", queue);
  command.set("to", to);
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Status Queues::kick(std::uint64_t message) {
  Message command = command_on(table_, "KICK");
  command.set("message", Value::of_unsigned(message));
  return connection_.call(command).status();
}

}  // namespace fastjournal::client
