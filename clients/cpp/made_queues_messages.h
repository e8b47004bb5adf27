// Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.
// clang-format off
// Options as parameters of commands, and records from answers. Internal to the library.
#pragma once

#include <array>

#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/made_queues.h"

namespace fastjournal::client {

inline constexpr std::array<std::string_view, 3> kSentResultWords{"sent", "duplicate", "expired"};
inline constexpr std::array<std::string_view, 3> kExchangeKindWords{"direct", "fanout", "topic"};
inline constexpr std::array<std::string_view, 3> kDeclaredWords{"made", "changed", "unchanged"};

inline void set_options(Message& command, SendOptions const& options) {
  set_if_any(command, "properties", options.properties);
  set_number(command, "priority", options.priority);
  set_date(command, "process_date", options.process_date);
  set_date(command, "expiration_date", options.expiration_date);
  set_truth(command, "mandatory", options.mandatory);
  set_if_any(command, "client", options.client);
  set_number(command, "sequence", options.sequence);
}

inline void set_options(Message& command, AcquireOptions const& options) {
  set_if_any(command, "queue", options.queue);
  command.set_integer("count", options.count);
  set_span(command, "lease", options.lease);
  set_span(command, "wait", options.wait);
  set_flag(command, "accept", options.accept);
  set_if_any(command, "worker", options.worker);
}

inline void set_options(Message& command, GiveBackOptions const& options) {
  set_date(command, "process_date", options.process_date);
  set_error(command, "error", options.error, 1024);
  set_truth(command, "failed", options.failed);
  set_error(command, "error_trace", options.error_trace, 16384);
}

inline void set_options(Message& command, QueueOptions const& options) {
  set_truth(command, "temporary", options.temporary);
  if (options.dead_letters) command.set("dead_letters", std::string_view{*options.dead_letters});
  set_number(command, "max_deliveries", options.max_deliveries);
  set_number(command, "max_messages", options.max_messages);
  set_number(command, "max_bytes", options.max_bytes);
  set_if_any(command, "when_full", options.when_full);
  set_span(command, "expires", options.expires);
}

inline void set_options(Message& command, BindOptions const& options) {
  set_if_any(command, "routing_key", options.routing_key);
  set_flag(command, "declare", options.declare);
  set_flag(command, "temporary", options.temporary);
}

inline void set_options(Message& command, BrowseOptions const& options) {
  set_if_any(command, "queue", options.queue);
  set_if_any(command, "status", options.status);
  set_flag(command, "body", options.body);
  if (options.page > 0) command.set_integer("count", options.page);
  if (options.after > 0) command.set("after", Value::of_unsigned(options.after));
}

inline void set_options(Message& command, ChangeOptions const& options) {
  set_if_any(command, "status", options.status);
}

inline Result<Sent> sent_of(Message const& message) {
  std::optional<SentResult> const result = word_in<SentResult>(kSentResultWords, message.text("result"));
  if (message.command != "SENT" || !result) return unexpected(message, "SENT with a known result");
  Sent out;
  out.message = number(message, "message");
  out.queues = number(message, "queues");
  out.result = *result;
  out.process_date = date(message, "process_date");
  return out;
}

inline QueueMessage queue_message_from(Message const& message) {
  QueueMessage out;
  out.table = message.text("table");
  out.message = number(message, "message");
  out.epoch = number(message, "epoch");
  out.queue = message.text("queue");
  out.is_text = !message.has("body_binary");
  out.body = message.text(out.is_text ? "body" : "body_binary");
  out.bytes = number(message, "bytes");
  out.offset = number(message, "offset");
  out.properties = message.text("properties");
  out.exchange = message.text("exchange");
  out.routing_key = message.text("routing_key");
  out.priority = static_cast<std::uint8_t>(number(message, "priority"));
  out.process_date = date(message, "process_date");
  out.sent_date = date(message, "sent_date");
  out.expiration_date = date_if_any(message, "expiration_date");
  out.lease_end = date(message, "lease_end");
  out.redelivered = number(message, "redelivered") != 0;
  out.deliveries = number(message, "deliveries");
  out.dead_of = message.text("dead_of");
  out.origin = number(message, "origin");
  out.status = message.text("status");
  out.worker = message.text("worker");
  out.error = message.text("error");
  out.error_trace = message.text("error_trace");
  return out;
}

inline Result<Reason> reason_of(Message const& message) {
  if (message.command != "REASON") return unexpected(message, "REASON");
  Reason out;
  out.state = message.text("state");
  out.text = message.text("text");
  return out;
}

inline Result<Queue> queue_of(Message const& message) {
  if (message.command != "QUEUE") return unexpected(message, "QUEUE");
  Queue out;
  out.queue = message.text("queue");
  out.messages = number(message, "messages");
  out.due = number(message, "due");
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
  out.expires = span_if_any(message, "expires").value_or(DurationMs{});
  return out;
}

inline Result<Exchange> exchange_of(Message const& message) {
  std::optional<ExchangeKind> const kind = word_in<ExchangeKind>(kExchangeKindWords, message.text("kind"));
  if (message.command != "EXCHANGE" || !kind) return unexpected(message, "EXCHANGE of a known kind");
  Exchange out;
  out.exchange = message.text("exchange");
  out.kind = *kind;
  out.bindings = number(message, "bindings");
  return out;
}

inline Result<Binding> binding_of(Message const& message) {
  if (message.command != "BINDING") return unexpected(message, "BINDING");
  Binding out;
  out.binding = number(message, "binding");
  out.exchange = message.text("exchange");
  out.queue = message.text("queue");
  out.routing_key = message.text("routing_key");
  return out;
}

inline Result<Declared> declared_of(Message const& message) {
  std::optional<Declared> const result = word_in<Declared>(kDeclaredWords, message.text("result"));
  if (!result) return unexpected(message, "DECLARED or BOUND with a known result");
  return *result;
}

}  // namespace fastjournal::client
