// Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.
// clang-format off
// The calls of made_queues.h.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/answers.h"
#include "clients/cpp/date.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/made_queues_messages.h"
#include "clients/cpp/queues.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

Result<Sent> sent_of(Message const& message) {
  std::optional<SentResult> const result = word_in<SentResult>(kSentResultWords, message.text("result"));
  if (message.command != "SENT" || !result) return unexpected(message, "SENT with a known result");
  Sent out;
  out.message = number(message, "message");
  out.queues = number(message, "queues");
  out.result = *result;
  out.process_date = date(message, "process_date");
  return out;
}

Result<QueueMessage> queue_message_of(Message const& message) {
  if (message.command != "MESSAGE") return unexpected(message, "MESSAGE");
  return queue_message_from(message);
}

Result<Reason> reason_of(Message const& message) {
  if (message.command != "REASON") return unexpected(message, "REASON");
  Reason out;
  out.state = message.text("state");
  out.text = message.text("text");
  return out;
}

Result<Queue> queue_of(Message const& message) {
  if (message.command != "QUEUE") return unexpected(message, "QUEUE");
  Queue out;
  out.queue = message.text("queue");
  out.messages = number(message, "messages");
  out.due = number(message, "due");
  out.behind = number(message, "behind");
  out.urgent = number(message, "urgent");
  out.acquired = number(message, "acquired");
  out.parked = number(message, "parked");
  out.bytes = number(message, "bytes");
  out.temporary = number(message, "temporary") != 0;
  out.declared = number(message, "declared") != 0;
  out.leaving = number(message, "leaving") != 0;
  out.dead_letters = message.text("dead_letters");
  out.max_deliveries = number(message, "max_deliveries");
  out.max_messages = number(message, "max_messages");
  out.max_bytes = number(message, "max_bytes");
  out.when_full = message.text("when_full");
  out.lease = span_if_any(message, "lease").value_or(DurationMs{});
  out.paused = number(message, "paused") != 0;
  out.paused_until = date(message, "paused_until");
  out.now = date(message, "now");
  out.pause_reason = message.text("pause_reason");
  out.expires = span_if_any(message, "expires").value_or(DurationMs{});
  out.delay = span_if_any(message, "delay").value_or(DurationMs{});
  out.max_message_bytes = number(message, "max_message_bytes");
  out.properties = message.text("properties");
  out.made_date = date(message, "made_date");
  out.changed_date = date(message, "changed_date");
  return out;
}

Result<Exchange> exchange_of(Message const& message) {
  std::optional<ExchangeKind> const kind = word_in<ExchangeKind>(kExchangeKindWords, message.text("kind"));
  if (message.command != "EXCHANGE" || !kind) return unexpected(message, "EXCHANGE of a known kind");
  Exchange out;
  out.exchange = message.text("exchange");
  out.kind = *kind;
  out.bindings = number(message, "bindings");
  return out;
}

Result<Binding> binding_of(Message const& message) {
  if (message.command != "BINDING") return unexpected(message, "BINDING");
  Binding out;
  out.binding = number(message, "binding");
  out.exchange = message.text("exchange");
  out.queue = message.text("queue");
  out.routing_key = message.text("routing_key");
  return out;
}

Message QueueCalls::send_of(std::string_view queue, std::string_view body, SendOptions const& options,
                            std::string_view group, std::string_view deduplication) const {
  Message command = command_on(table_, "SEND");
  command.set("queue", queue);
  set_bytes(command, "body", body, options.binary);
  set_options(command, options);
  set_if_any(command, "group", group);
  set_if_any(command, "deduplication", deduplication);
  return command;
}

Result<Sent> QueueCalls::send(std::string_view queue, std::string_view body, SendOptions const& options,
                              std::string_view group, std::string_view deduplication) {
  Message command = send_of(queue, body, options, group, deduplication);
  return then(connection_.call_numbered(command), sent_of);
}

Message QueueCalls::publish_of(std::string_view exchange, std::string_view routing_key, std::string_view body,
                               SendOptions const& options, std::string_view group) const {
  Message command = command_on(table_, "SEND");
  command.set("exchange", exchange);
  set_if_any(command, "routing_key", routing_key);
  set_bytes(command, "body", body, options.binary);
  set_options(command, options);
  set_if_any(command, "group", group);
  return command;
}

Result<Sent> QueueCalls::publish(std::string_view exchange, std::string_view routing_key, std::string_view body,
                                 SendOptions const& options, std::string_view group) {
  Message command = publish_of(exchange, routing_key, body, options, group);
  return then(connection_.call_numbered(command), sent_of);
}

Result<Acquired> QueueCalls::acquire(AcquireOptions const& options) {
  Message command = command_on(table_, "ACQUIRE");
  set_options(command, options);
  return leased_by(connection_.call(command), &Acquired::messages, queue_message_of);
}

Result<Acquired> QueueCalls::acquire_message(std::uint64_t message, std::optional<DurationMs> lease,
                                             std::string_view worker) {
  Message command = command_on(table_, "ACQUIRE");
  command.set("message", Value::of_unsigned(message));
  set_span(command, "lease", lease);
  set_if_any(command, "worker", worker);
  return leased_by(connection_.call(command), &Acquired::messages, queue_message_of);
}

Result<TimeMs> QueueCalls::touch(QueueMessage const& message, std::optional<DurationMs> lease) {
  Message command = command_about(message, "message", message.message, table_, "TOUCH");
  set_span(command, "lease", lease);
  return then(connection_.call(command), [](Message const& answer) -> Result<TimeMs> {
    return TimeMs{date(answer, "lease_end")};
  });
}

Message QueueCalls::accept_of(QueueMessage const& message) const {
  Message command = command_about(message, "message", message.message, table_, "ACCEPT");
  return command;
}

Status QueueCalls::accept(QueueMessage const& message) {
  Message command = accept_of(message);
  return connection_.call(command).status();
}

Message QueueCalls::release_of(QueueMessage const& message, GiveBackOptions const& options) const {
  Message command = command_about(message, "message", message.message, table_, "RELEASE");
  set_options(command, options);
  return command;
}

Result<ReturnedMessage> QueueCalls::release(QueueMessage const& message, GiveBackOptions const& options) {
  Message command = release_of(message, options);
  return then(report(connection_, command), Queues::returned_of);
}

Message QueueCalls::reject_of(QueueMessage const& message, std::string_view error,
                              std::string_view error_trace) const {
  Message command = command_about(message, "message", message.message, table_, "REJECT");
  set_error(command, "error", error, 1024);
  set_error(command, "error_trace", error_trace, 65536);
  return command;
}

Result<ReturnedMessage> QueueCalls::reject(QueueMessage const& message, std::string_view error,
                                           std::string_view error_trace) {
  Message command = reject_of(message, error, error_trace);
  return then(report(connection_, command), Queues::returned_of);
}

Message QueueCalls::park_of(QueueMessage const& message, std::optional<std::uint64_t> priority,
                            std::string_view error, std::string_view error_trace) const {
  Message command = command_about(message, "message", message.message, table_, "PARK");
  set_number(command, "priority", priority);
  set_error(command, "error", error, 1024);
  set_error(command, "error_trace", error_trace, 65536);
  return command;
}

Result<ReturnedMessage> QueueCalls::park(QueueMessage const& message, std::optional<std::uint64_t> priority,
                                         std::string_view error, std::string_view error_trace) {
  Message command = park_of(message, priority, error, error_trace);
  return then(report(connection_, command), Queues::returned_of);
}

Result<std::uint64_t> QueueCalls::count(std::string_view queue, std::string_view status) {
  Message command = command_on(table_, "COUNT");
  set_if_any(command, "queue", queue);
  set_if_any(command, "status", status);
  return sum_of_pages(connection_, command, "count", UINT64_MAX);
}

Result<QueueMessage> QueueCalls::read(std::uint64_t message) {
  Message command = command_on(table_, "READ");
  command.set("message", Value::of_unsigned(message));
  return then(connection_.call(command), queue_message_of);
}

Result<std::vector<QueueMessage>> QueueCalls::peek(std::string_view queue, std::string_view status) {
  Message command = command_on(table_, "PEEK");
  command.set("queue", queue);
  set_if_any(command, "status", status);
  return all_pages(connection_, command, queue_message_of);
}

Result<Reason> QueueCalls::why(std::uint64_t message) {
  Message command = command_on(table_, "WHY");
  command.set("message", Value::of_unsigned(message));
  return then(connection_.call(command), reason_of);
}

Result<std::vector<Queue>> QueueCalls::queues() {
  Message command = command_on(table_, "QUEUES");
  return all_pages(connection_, command, queue_of, UINT64_MAX);
}

Result<std::vector<Exchange>> QueueCalls::exchanges() {
  Message command = command_on(table_, "EXCHANGES");
  return all_pages(connection_, command, exchange_of, UINT64_MAX);
}

Result<std::vector<Binding>> QueueCalls::bindings(std::string_view exchange, std::string_view queue) {
  Message command = command_on(table_, "BINDINGS");
  set_if_any(command, "exchange", exchange);
  set_if_any(command, "queue", queue);
  return all_pages(connection_, command, binding_of, UINT64_MAX);
}

Result<Declared> QueueCalls::declare(std::string_view queue, QueueOptions const& options) {
  Message command = command_on(table_, "DECLARE");
  command.set("queue", queue);
  set_options(command, options);
  return then(connection_.call(command), [](Message const& answer) -> Result<Declared> {
    return known_word<Declared>(kDeclaredWords, answer, "result", "DECLARED or BOUND");
  });
}

Result<Declared> QueueCalls::declare_exchange(std::string_view exchange, ExchangeKind kind) {
  Message command = command_on(table_, "DECLARE");
  command.set("exchange", exchange);
  command.set("kind", kExchangeKindWords[static_cast<std::size_t>(kind)]);
  return then(connection_.call(command), [](Message const& answer) -> Result<Declared> {
    return known_word<Declared>(kDeclaredWords, answer, "result", "DECLARED or BOUND");
  });
}

Status QueueCalls::remove(std::string_view queue, bool if_empty) {
  Message command = command_on(table_, "REMOVE");
  command.set("queue", queue);
  set_flag(command, "if_empty", if_empty);
  return connection_.call(command).status();
}

Status QueueCalls::remove_exchange(std::string_view exchange) {
  Message command = command_on(table_, "REMOVE");
  command.set("exchange", exchange);
  return connection_.call(command).status();
}

Result<Declared> QueueCalls::bind(std::string_view exchange, std::string_view queue, BindOptions const& options) {
  Message command = command_on(table_, "BIND");
  command.set("exchange", exchange);
  command.set("queue", queue);
  set_options(command, options);
  return then(connection_.call(command), [](Message const& answer) -> Result<Declared> {
    return known_word<Declared>(kDeclaredWords, answer, "result", "DECLARED or BOUND");
  });
}

Status QueueCalls::unbind(std::string_view exchange, std::string_view queue, std::string_view routing_key) {
  Message command = command_on(table_, "UNBIND");
  command.set("exchange", exchange);
  command.set("queue", queue);
  set_if_any(command, "routing_key", routing_key);
  return connection_.call(command).status();
}

Result<std::uint64_t> QueueCalls::purge(std::string_view queue, ChangeOptions const& options) {
  Message command = command_on(table_, "PURGE");
  command.set("queue", queue);
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Result<std::uint64_t> QueueCalls::move(std::string_view queue, std::string_view to, ChangeOptions const& options) {
  Message command = command_on(table_, "MOVE");
  command.set("queue", queue);
  set_if_any(command, "to", to);
  set_options(command, options);
  return sum_of_pages(connection_, command, "count", options.count);
}

Result<std::uint64_t> QueueCalls::move_back(std::string_view queue, std::string_view status) {
  Message command = command_on(table_, "MOVE");
  command.set("queue", queue);
  set_if_any(command, "status", status);
  return sum_of_pages(connection_, command, "count", UINT64_MAX);
}

Status QueueCalls::kick(std::uint64_t message, std::string_view status) {
  Message command = command_on(table_, "KICK");
  command.set("message", Value::of_unsigned(message));
  set_if_any(command, "status", status);
  return connection_.call(command).status();
}

Result<std::uint64_t> QueueCalls::kick_queue(std::string_view queue, KickQueueOptions const& options) {
  Message command = command_on(table_, "KICK");
  command.set("queue", queue);
  return sum_of_pages(connection_, command, "count", options.count);
}

Status QueueCalls::erase(std::uint64_t message) {
  Message command = command_on(table_, "DELETE");
  command.set("message", Value::of_unsigned(message));
  return connection_.call(command).status();
}

Result<std::string> QueueCalls::pause(std::string_view queue, std::optional<Date> until, std::string_view reason) {
  Message command = command_on(table_, "PAUSE");
  command.set("queue", queue);
  set_date(command, "until", until);
  set_if_any(command, "reason", reason);
  return then(connection_.call(command), [](Message const& answer) -> Result<std::string> {
    return std::string{answer.text("result")};
  });
}

Result<std::string> QueueCalls::resume(std::string_view queue) {
  Message command = command_on(table_, "RESUME");
  command.set("queue", queue);
  return then(connection_.call(command), [](Message const& answer) -> Result<std::string> {
    return std::string{answer.text("result")};
  });
}

}  // namespace fastjournal::client
