// Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.
// clang-format off
// Options as parameters of commands, and words of enums. Internal to the library.
#pragma once

#include <array>
#include <string_view>

#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/made_queues.h"
#include "fastjournal/types.h"

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
  set_span(command, "lease", options.lease);
}

inline void set_options(Message& command, AcquireOptions const& options) {
  set_if_any(command, "queue", options.queue);
  set_if_any(command, "queues", options.queues);
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
  set_error(command, "error_trace", options.error_trace, 65536);
  set_number(command, "priority", options.priority);
}

inline void set_options(Message& command, QueueOptions const& options) {
  set_truth(command, "temporary", options.temporary);
  if (options.dead_letters) command.set("dead_letters", std::string_view{*options.dead_letters});
  set_number(command, "max_deliveries", options.max_deliveries);
  set_number(command, "max_messages", options.max_messages);
  set_number(command, "max_bytes", options.max_bytes);
  set_if_any(command, "when_full", options.when_full);
  set_span(command, "lease", options.lease);
  set_span(command, "expires", options.expires);
  set_span(command, "delay", options.delay);
  set_number(command, "max_message_bytes", options.max_message_bytes);
  set_if_any(command, "properties", options.properties);
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

inline QueueMessage queue_message_from(Message const& message) {
  QueueMessage out;
  out.table = message.text("table");
  out.message = number(message, "message");
  out.epoch = number(message, "epoch");
  out.queue = message.text("queue");
  out.body = message.text(message.has("body") ? "body" : "body_binary");
  out.is_text = !message.has("body_binary");
  out.bytes = number(message, "bytes");
  out.offset = number(message, "offset");
  out.properties = message.text("properties");
  out.exchange = message.text("exchange");
  out.routing_key = message.text("routing_key");
  out.priority = number(message, "priority");
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
  out.lease = span_if_any(message, "lease").value_or(DurationMs{});
  out.leases = number(message, "leases");
  out.returns = number(message, "returns");
  out.parkings = number(message, "parkings");
  out.kicks = number(message, "kicks");
  out.timeouts = number(message, "timeouts");
  return out;
}

}  // namespace fastjournal::client
