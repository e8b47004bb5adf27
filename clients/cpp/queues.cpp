#include "clients/cpp/queues.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/value_text.h"

namespace fastjournal::client {

namespace {

constexpr std::array<std::string_view, 3> kModes{"wake", "row", "deliver"};  // indexed by ListenMode
constexpr std::array<std::string_view, 3> kSentResults{"sent", "duplicate", "expired"};
constexpr std::array<std::string_view, 4> kFates{"RELEASED", "DEAD", "PARKED", "DELETED"};
constexpr std::array<std::string_view, 3> kKinds{"direct", "fanout", "topic"};
constexpr std::array<std::string_view, 3> kDeclared{"made", "changed", "unchanged"};
constexpr std::uint64_t kPage = 1'000;

// From the parameters of a MESSAGE, or of a LISTEN about a message.
QueueMessage message_from(Message const& message) {
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

// All pages of an answer, as what `read` makes of each message with the name `shown`.
template <typename One>
Result<std::vector<One>> all_pages(Connection& connection, Message& command, std::string_view shown,
                                   Result<One> (*read)(Message const&)) {
  std::vector<One> out;
  command.set("count", Value::of_unsigned(kPage));
  for (std::string after = {}, before = {};; before = after) {
    if (!after.empty()) command.set("after", command.arena().copy(after));
    Result<Reply> const reply = connection.call(command);
    if (!reply.ok()) return reply.status();
    Value const* const more = reply->messages.back().find("after");
    after = more == nullptr ? std::string{} : text_of(*more);
    Result<std::vector<One>> page = list_of(reply.value(), [&](Message const& message) -> Result<One> {
      if (message.command != shown) return unexpected(message, shown);
      return read(message);
    });
    if (!page.ok()) return page.status();
    std::move(page->begin(), page->end(), std::back_inserter(out));
    if (after.empty() || after == before) return out;
  }
}

Result<Queue> queue_from(Message const& message) {
  return Queue{.queue = std::string{message.text("queue")},
               .messages = number(message, "messages"),
               .due = number(message, "due"),
               .acquired = number(message, "acquired"),
               .parked = number(message, "parked"),
               .bytes = number(message, "bytes"),
               .temporary = number(message, "temporary") != 0,
               .declared = number(message, "declared") != 0,
               .leaving = number(message, "leaving") != 0,
               .dead_letters = std::string{message.text("dead_letters")},
               .max_deliveries = number(message, "max_deliveries"),
               .max_messages = number(message, "max_messages"),
               .max_bytes = number(message, "max_bytes"),
               .when_full = std::string{message.text("when_full")},
               .expires = DurationMs{message.integer("expires").value_or(0)}};
}

Result<Exchange> exchange_from(Message const& message) {
  std::optional<ExchangeKind> const kind = word_in<ExchangeKind>(kKinds, message.text("kind"));
  if (!kind) return unexpected(message, "EXCHANGE of a known kind");
  return Exchange{
      .exchange = std::string{message.text("exchange")}, .kind = *kind, .bindings = number(message, "bindings")};
}

Result<Binding> binding_from(Message const& message) {
  return Binding{.binding = number(message, "binding"),
                 .exchange = std::string{message.text("exchange")},
                 .queue = std::string{message.text("queue")},
                 .routing_key = std::string{message.text("routing_key")}};
}

Result<Declared> declared_of(Message const& answer) {
  std::optional<Declared> const result = word_in<Declared>(kDeclared, answer.text("result"));
  if (!result) return unexpected(answer, "DECLARED or BOUND with a known result");
  return *result;
}

}  // namespace

std::span<CommandRule const> queue_commands() {
  // ACQUIRE: a lease of a lost answer ends after the grace, whether or not the command is resent.
  static constexpr std::array kCommands =
      rules_of({numbered("SEND"), leasing("ACQUIRE", "MESSAGE", "wait"),
                CommandRule{.name = "ACCEPT", .resend = Resend::always, .done_before = "ACCEPTED"}},
               {"TOUCH", "RELEASE", "REJECT", "BROWSE", "READ", "WHY", "DECLARE", "REMOVE", "BIND", "UNBIND", "PURGE",
                "QUEUES", "EXCHANGES", "BINDINGS"});
  return kCommands;
}

Result<QueueMessage> queue_message_of(Message const& message) {
  if (message.command != "MESSAGE") return unexpected(message, "MESSAGE");
  return message_from(message);
}

Result<QueueNotice> queue_notice_of(Message const& push) {
  if (push.command == "UNLISTENED")
    return Status{code_of_wire_name(push.text("code")).value_or(Code::unknown_table),
                  push.has("message")
                      ? std::string{push.text("message")}
                      : fmt::format("table {} was dropped: nothing is listened to any more", push.text("table"))};
  Result<QueueNotice> out = notice_from(push, "MESSAGE", "message", &QueueNotice::message, message_from);
  if (out.ok()) out->queue = push.text("queue");
  return out;
}

Result<QueueNotice> wait_queue_notice(Connection& connection, Milliseconds limit, int wake_fd) {
  return then(connection.wait_push(limit, wake_fd), queue_notice_of);
}

// ---------------------------------------------------------------------------
// Producers

Message Queues::about(std::string_view command) const { return command_on(table_, command); }

void Queues::set_content(Message& message, std::string_view body, SendOptions const& options) {
  if (!body.empty()) {
    if (options.binary)
      message.set("body_binary", Value::of_binary(body));
    else
      message.set("body", Value::of_verbatim(body));
  }
  set_if_any(message, "properties", options.properties);
  if (options.priority) message.set_integer("priority", *options.priority);
  set_date(message, "process_date", options.process_date);
  set_date(message, "expiration_date", options.expiration_date);
  set_truth(message, "mandatory", options.mandatory);
  set_identity(message, options);
}

Message Queues::send_of(std::string_view queue, std::string_view body, SendOptions const& options) {
  Message out = about("SEND");
  out.set("queue", queue);
  set_content(out, body, options);
  return out;
}

Message Queues::publish_of(std::string_view exchange, std::string_view routing_key, std::string_view body,
                           SendOptions const& options) {
  Message out = about("SEND");
  out.set("exchange", exchange);
  set_if_any(out, "routing_key", routing_key);
  set_content(out, body, options);
  return out;
}

Result<Sent> Queues::sent_of(Message const& answer) {
  std::optional<SentResult> const result = word_in<SentResult>(kSentResults, answer.text("result"));
  if (answer.command != "SENT" || !result) return unexpected(answer, "SENT with a known result");
  return Sent{.message = number(answer, "message"),
              .queues = number(answer, "queues"),
              .result = *result,
              .process_date = date(answer, "process_date")};
}

Result<Sent> Queues::send(std::string_view queue, std::string_view body, SendOptions const& options) {
  Message command = send_of(queue, body, options);
  return then_first(connection_.call_numbered(command), sent_of);
}

Result<Sent> Queues::publish(std::string_view exchange, std::string_view routing_key, std::string_view body,
                             SendOptions const& options) {
  Message command = publish_of(exchange, routing_key, body, options);
  return then_first(connection_.call_numbered(command), sent_of);
}

// ---------------------------------------------------------------------------
// Consumers

Message Queues::on_lease(std::string_view command, QueueMessage const& message) const {
  return command_about(message, "message", message.message, table_, command);
}

Result<Acquired> Queues::acquire(AcquireOptions const& options) {
  Message command = about("ACQUIRE");
  set_if_any(command, "queue", options.queue);
  command.set_integer("count", options.count);
  set_span(command, "lease", options.lease);
  set_span(command, "wait", options.wait);
  set_flag(command, "accept", options.accept);
  set_if_any(command, "worker", options.worker);
  return then(connection_.call(command), [](Reply const& reply) {
    return then(list_of(reply, queue_message_of), [&](std::vector<QueueMessage>& messages) -> Result<Acquired> {
      Acquired out{.messages = std::move(messages)};
      if (out.messages.empty()) out.next_date = date_if_any(reply.first(), "next_date");
      return out;
    });
  });
}

Result<TimeMs> Queues::touch(QueueMessage const& message, std::optional<DurationMs> lease) {
  Message command = on_lease("TOUCH", message);
  set_span(command, "lease", lease);
  return end_of(connection_.call(command), "lease_end");
}

Message Queues::accept_of(QueueMessage const& message) const { return on_lease("ACCEPT", message); }

Status Queues::accept(QueueMessage const& message) { return connection_.call(accept_of(message)).status(); }

Message Queues::release_of(QueueMessage const& message, GiveBackOptions const& options) const {
  Message out = on_lease("RELEASE", message);
  set_date(out, "process_date", options.process_date);
  set_failure(out, options.error, options.error_trace);
  set_truth(out, "failed", options.failed);
  return out;
}

Message Queues::reject_of(QueueMessage const& message, std::string_view error, std::string_view error_trace) const {
  Message out = on_lease("REJECT", message);
  set_failure(out, error, error_trace);
  return out;
}

Result<ReturnedMessage> Queues::returned_of(Message const& answer) {
  std::optional<ReturnedMessage::Fate> const fate = word_in<ReturnedMessage::Fate>(kFates, answer.command);
  if (!fate) return unexpected(answer, "RELEASED, DEAD, PARKED or DELETED");
  return ReturnedMessage{
      .fate = *fate, .process_date = date_if_any(answer, "process_date"), .queue = std::string{answer.text("queue")}};
}

Result<ReturnedMessage> Queues::release(QueueMessage const& message, GiveBackOptions const& options) {
  Message command = release_of(message, options);
  return then_first(report(connection_, command), returned_of);
}

Result<ReturnedMessage> Queues::reject(QueueMessage const& message, std::string_view error,
                                       std::string_view error_trace) {
  Message command = reject_of(message, error, error_trace);
  return then_first(report(connection_, command), returned_of);
}

Status Queues::listen(QueueListenOptions const& options) {
  Params params{{"mode", Value::of_text(kModes[static_cast<std::size_t>(options.mode)])}};
  if (!options.queue.empty()) params.push_back({"queue", Value::of_text(options.queue)});
  if (options.mode == ListenMode::deliver) params.push_back({"credit", Value::of_integer(options.credit)});
  if (options.lease) params.push_back({"lease", Value::of_integer(options.lease->value)});
  if (!options.worker.empty()) params.push_back({"worker", Value::of_text(options.worker)});
  return connection_.listen(table_, params);
}

Status Queues::unlisten(std::string_view queue) {
  Params params;
  if (!queue.empty()) params.push_back({"queue", Value::of_text(queue)});
  return connection_.unlisten(table_, params);
}

// ---------------------------------------------------------------------------
// Looking

Result<std::optional<QueueMessage>> Browse::next() {
  // A page may be empty and have others behind it.
  while (taken_ == page_.size() && !ended_) {
    Message command = command_on(table_, "BROWSE");
    set_if_any(command, "queue", options_.queue);
    set_if_any(command, "status", options_.status);
    set_flag(command, "body", options_.body);
    if (options_.page > 0) command.set_integer("count", options_.page);
    if (options_.after > 0) command.set("after", Value::of_unsigned(options_.after));
    Result<Reply> const reply = connection_->call(command);
    if (!reply.ok()) return reply.status();
    Result<std::vector<QueueMessage>> page = list_of(reply.value(), queue_message_of);
    if (!page.ok()) return page.status();
    std::uint64_t const after = number(reply->messages.back(), "after");
    // Numbers grow: a daemon that says otherwise would keep us here.
    ended_ = after <= options_.after;
    options_.after = after;
    page_ = std::move(page).value();
    taken_ = 0;
  }
  if (taken_ == page_.size()) return std::optional<QueueMessage>{};
  return std::optional{std::move(page_[taken_++])};
}

Result<QueueMessage> Queues::read(std::uint64_t message) {
  Message command = about("READ");
  command.set("message", Value::of_unsigned(message));
  return then_first(connection_.call(command), queue_message_of);
}

Result<QueueMessage> Queues::read(std::uint64_t message, std::uint64_t offset, std::uint64_t length) {
  Message command = about("READ");
  command.set("message", Value::of_unsigned(message));
  command.set("offset", Value::of_unsigned(offset));
  command.set("length", Value::of_unsigned(length));
  return then_first(connection_.call(command), queue_message_of);
}

Result<Reason> Queues::why(std::uint64_t message) {
  Message command = about("WHY");
  command.set("message", Value::of_unsigned(message));
  return then_first(connection_.call(command), [](Message const& answer) -> Result<Reason> {
    if (answer.command != "REASON") return unexpected(answer, "REASON");
    return Reason{.state = std::string{answer.text("state")}, .text = std::string{answer.text("text")}};
  });
}

Result<std::vector<Queue>> Queues::queues() {
  Message command = about("QUEUES");
  return all_pages(connection_, command, "QUEUE", queue_from);
}

Result<std::vector<Exchange>> Queues::exchanges() {
  Message command = about("EXCHANGES");
  return all_pages(connection_, command, "EXCHANGE", exchange_from);
}

Result<std::vector<Binding>> Queues::bindings(std::string_view exchange, std::string_view queue) {
  Message command = about("BINDINGS");
  set_if_any(command, "exchange", exchange);
  set_if_any(command, "queue", queue);
  return all_pages(connection_, command, "BINDING", binding_from);
}

// ---------------------------------------------------------------------------
// Queues and exchanges

Result<Declared> Queues::declare(std::string_view queue, QueueOptions const& options) {
  Message command = about("DECLARE");
  command.set("queue", queue);
  set_truth(command, "temporary", options.temporary);
  if (options.dead_letters) command.set("dead_letters", std::string_view{*options.dead_letters});
  if (options.max_deliveries) command.set_integer("max_deliveries", *options.max_deliveries);
  set_number(command, "max_messages", options.max_messages);
  set_number(command, "max_bytes", options.max_bytes);
  set_if_any(command, "when_full", options.when_full);
  set_span(command, "expires", options.expires);
  return then_first(connection_.call(command), declared_of);
}

Result<Declared> Queues::declare_exchange(std::string_view exchange, ExchangeKind kind) {
  Message command = about("DECLARE");
  command.set("exchange", exchange);
  command.set("kind", kKinds[static_cast<std::size_t>(kind)]);
  return then_first(connection_.call(command), declared_of);
}

Status Queues::remove(std::string_view queue, bool if_empty) {
  Message command = about("REMOVE");
  command.set("queue", queue);
  set_flag(command, "if_empty", if_empty);
  return connection_.call(command).status();
}

Status Queues::remove_exchange(std::string_view exchange) {
  Message command = about("REMOVE");
  command.set("exchange", exchange);
  return connection_.call(command).status();
}

Result<Declared> Queues::bind(std::string_view exchange, std::string_view queue, BindOptions const& options) {
  Message command = about("BIND");
  command.set("exchange", exchange);
  command.set("queue", queue);
  set_if_any(command, "routing_key", options.routing_key);
  set_flag(command, "declare", options.declare);
  set_flag(command, "temporary", options.temporary);
  return then_first(connection_.call(command), declared_of);
}

Status Queues::unbind(std::string_view exchange, std::string_view queue, std::string_view routing_key) {
  Message command = about("UNBIND");
  command.set("exchange", exchange);
  command.set("queue", queue);
  set_if_any(command, "routing_key", routing_key);
  return connection_.call(command).status();
}

Result<std::uint64_t> Queues::change(Message& command, ChangeOptions const& options) {
  set_if_any(command, "status", options.status);
  std::uint64_t done = 0;
  for (bool more = true; more && done < options.count;) {
    command.set("count", Value::of_unsigned(std::min(kPage, options.count - done)));
    Result<Reply> const reply = connection_.call(command);
    if (!reply.ok()) return reply.status();
    done += number(reply->first(), "count");
    more = number(reply->first(), "more") != 0;
  }
  return done;
}

Result<std::uint64_t> Queues::purge(std::string_view queue, ChangeOptions const& options) {
  Message command = about("PURGE");
  command.set("queue", queue);
  return change(command, options);
}

Result<std::uint64_t> Queues::move(std::string_view queue, std::string_view to, ChangeOptions const& options) {
  Message command = about("MOVE");
  command.set("queue", queue);
  command.set("to", to);
  return change(command, options);
}

}  // namespace fastjournal::client
