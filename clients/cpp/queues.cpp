#include "clients/cpp/queues.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/in_flight.h"
#include "clients/cpp/value_text.h"

namespace fastjournal::client {

namespace {

constexpr std::array<std::string_view, 3> kModes{"wake", "row", "deliver"};  // indexed by ListenMode
constexpr std::array<std::string_view, 3> kSentResults{"sent", "duplicate", "expired"};
constexpr std::array<std::string_view, 4> kFates{"RELEASED", "DEAD", "PARKED", "DELETED"};
constexpr std::array<std::string_view, 3> kKinds{"direct", "fanout", "topic"};
constexpr std::array<std::string_view, 3> kDeclared{"made", "changed", "unchanged"};
constexpr std::uint64_t kPage = 1'000;

// The place of a word in a list that is indexed by an enumeration.
template <typename Enum, std::size_t N>
std::optional<Enum> found_in(std::array<std::string_view, N> const& words, std::string_view word) {
  auto const found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

void set_truth(Message& message, std::string_view name, std::optional<bool> const& given) {
  if (given) message.set_integer(name, *given ? 1 : 0);
}

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

// MESSAGEs or NOTHING.
Result<std::vector<QueueMessage>> messages_of(Reply const& reply) {
  std::vector<QueueMessage> out;
  for (Message const& message : reply.messages) {
    if (message.command == "NOTHING") continue;
    Result<QueueMessage> one = queue_message_of(message);
    if (!one.ok()) return one.status();
    out.push_back(std::move(one).value());
  }
  return out;
}

}  // namespace

std::span<CommandRule const> queue_commands() {
  // ACQUIRE: a lease of a lost answer ends after the grace, whether or not the command is resent.
  static constexpr std::array kCommands{
      CommandRule{.name = "SEND", .resend = Resend::numbered},
      CommandRule{
          .name = "ACQUIRE", .resend = Resend::always, .wait = "wait", .leases = "MESSAGE", .give_back = "RELEASE"},
      CommandRule{.name = "TOUCH", .resend = Resend::always},
      CommandRule{.name = "ACCEPT", .resend = Resend::always, .done_before = "ACCEPTED"},
      CommandRule{.name = "RELEASE", .resend = Resend::always},
      CommandRule{.name = "REJECT", .resend = Resend::always},
      CommandRule{.name = "BROWSE", .resend = Resend::always},
      CommandRule{.name = "READ", .resend = Resend::always},
      CommandRule{.name = "WHY", .resend = Resend::always},
      CommandRule{.name = "DECLARE", .resend = Resend::always},
      CommandRule{.name = "REMOVE", .resend = Resend::always},
      CommandRule{.name = "BIND", .resend = Resend::always},
      CommandRule{.name = "UNBIND", .resend = Resend::always},
      CommandRule{.name = "PURGE", .resend = Resend::always},
      CommandRule{.name = "QUEUES", .resend = Resend::always},
      CommandRule{.name = "EXCHANGES", .resend = Resend::always},
      CommandRule{.name = "BINDINGS", .resend = Resend::always},
  };
  return kCommands;
}

Result<QueueMessage> queue_message_of(Message const& message) {
  if (message.command != "MESSAGE") return unexpected(message, "MESSAGE");
  return message_from(message);
}

Result<QueueNotice> queue_notice_of(Message const& push) {
  QueueNotice out;
  out.table = push.text("table");
  out.queue = push.text("queue");
  if (push.command == "MESSAGE") {
    out.kind = QueueNotice::Kind::delivered;
    out.message = message_from(push);
    return out;
  }
  if (push.command == "UNLISTENED")
    return Status{code_of_wire_name(push.text("code")).value_or(Code::unknown_table),
                  push.has("message") ? std::string{push.text("message")}
                                      : "table " + out.table + " was dropped: nothing is listened to any more"};
  if (push.command != "LISTEN") {
    Status refusal = refusal_of(push);
    return refusal.ok() ? unexpected(push, "LISTEN or MESSAGE") : refusal;
  }
  if (push.has("message")) {
    out.kind = QueueNotice::Kind::due;
    out.message = message_from(push);
  } else if (push.has("missed")) {
    out.kind = QueueNotice::Kind::missed;
    out.missed = number(push, "missed");
  } else {
    out.ready = number(push, "ready");
    out.date = date(push, "date");
  }
  return out;
}

Result<QueueNotice> wait_queue_notice(Connection& connection, Milliseconds limit, int wake_fd) {
  Result<Message> const push = connection.wait_push(limit, wake_fd);
  if (!push.ok()) return push.status();
  return queue_notice_of(push.value());
}

// ---------------------------------------------------------------------------
// Producers

Message Queues::about(std::string_view command) const {
  Message out(command);
  out.set("table", std::string_view{table_});
  return out;
}

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
  set_if_any(message, "client", options.client);
  set_number(message, "sequence", options.sequence);
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
  std::optional<SentResult> const result = found_in<SentResult>(kSentResults, answer.text("result"));
  if (answer.command != "SENT" || !result) return unexpected(answer, "SENT with a known result");
  return Sent{.message = number(answer, "message"),
              .queues = number(answer, "queues"),
              .result = *result,
              .process_date = date(answer, "process_date")};
}

Result<Sent> Queues::send(std::string_view queue, std::string_view body, SendOptions const& options) {
  Message command = send_of(queue, body, options);
  Result<Reply> const reply = connection_.call_numbered(command);
  if (!reply.ok()) return reply.status();
  return sent_of(reply->first());
}

Result<Sent> Queues::publish(std::string_view exchange, std::string_view routing_key, std::string_view body,
                             SendOptions const& options) {
  Message command = publish_of(exchange, routing_key, body, options);
  Result<Reply> const reply = connection_.call_numbered(command);
  if (!reply.ok()) return reply.status();
  return sent_of(reply->first());
}

// ---------------------------------------------------------------------------
// Consumers

Message Queues::on_lease(std::string_view command, QueueMessage const& message) const {
  Message out(command);
  out.set("table", message.table.empty() ? std::string_view{table_} : std::string_view{message.table});
  out.set("message", Value::of_unsigned(message.message));
  out.set("epoch", Value::of_unsigned(message.epoch));
  return out;
}

Result<Acquired> Queues::acquire(AcquireOptions const& options) {
  Message command = about("ACQUIRE");
  set_if_any(command, "queue", options.queue);
  command.set_integer("count", options.count);
  set_span(command, "lease", options.lease);
  set_span(command, "wait", options.wait);
  set_flag(command, "accept", options.accept);
  set_if_any(command, "worker", options.worker);
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return reply.status();
  Result<std::vector<QueueMessage>> messages = messages_of(reply.value());
  if (!messages.ok()) return messages.status();
  Acquired out;
  out.messages = std::move(messages).value();
  if (out.messages.empty()) out.next_date = date_if_any(reply->first(), "next_date");
  return out;
}

Result<TimeMs> Queues::touch(QueueMessage const& message, std::optional<DurationMs> lease) {
  Message command = on_lease("TOUCH", message);
  set_span(command, "lease", lease);
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return reply.status();
  return date(reply->first(), "lease_end");
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
  std::optional<ReturnedMessage::Fate> const fate = found_in<ReturnedMessage::Fate>(kFates, answer.command);
  if (!fate) return unexpected(answer, "RELEASED, DEAD, PARKED or DELETED");
  return ReturnedMessage{
      .fate = *fate, .process_date = date_if_any(answer, "process_date"), .queue = std::string{answer.text("queue")}};
}

Result<ReturnedMessage> Queues::release(QueueMessage const& message, GiveBackOptions const& options) {
  Message command = release_of(message, options);
  Result<Reply> const reply = report(connection_, command);
  if (!reply.ok()) return reply.status();
  return returned_of(reply->first());
}

Result<ReturnedMessage> Queues::reject(QueueMessage const& message, std::string_view error,
                                       std::string_view error_trace) {
  Message command = reject_of(message, error, error_trace);
  Result<Reply> const reply = report(connection_, command);
  if (!reply.ok()) return reply.status();
  return returned_of(reply->first());
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
    Message command("BROWSE");
    command.set("table", std::string_view{table_});
    set_if_any(command, "queue", options_.queue);
    set_if_any(command, "status", options_.status);
    set_flag(command, "body", options_.body);
    if (options_.page > 0) command.set_integer("count", options_.page);
    if (options_.after > 0) command.set("after", Value::of_unsigned(options_.after));
    Result<Reply> const reply = connection_->call(command);
    if (!reply.ok()) return reply.status();
    Result<std::vector<QueueMessage>> page = messages_of(reply.value());
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

Result<QueueMessage> Queues::shown(Message const& command) {
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return reply.status();
  return queue_message_of(reply->first());
}

Result<QueueMessage> Queues::read(std::uint64_t message) {
  Message command = about("READ");
  command.set("message", Value::of_unsigned(message));
  return shown(command);
}

Result<QueueMessage> Queues::read(std::uint64_t message, std::uint64_t offset, std::uint64_t length) {
  Message command = about("READ");
  command.set("message", Value::of_unsigned(message));
  command.set("offset", Value::of_unsigned(offset));
  command.set("length", Value::of_unsigned(length));
  return shown(command);
}

Result<Reason> Queues::why(std::uint64_t message) {
  Message command = about("WHY");
  command.set("message", Value::of_unsigned(message));
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return reply.status();
  if (reply->first().command != "REASON") return unexpected(reply->first(), "REASON");
  return Reason{.state = std::string{reply->first().text("state")}, .text = std::string{reply->first().text("text")}};
}

Result<std::vector<Message>> Queues::all_pages(Message& command, std::string_view answer) {
  std::vector<Message> out;
  command.set("count", Value::of_unsigned(kPage));
  for (std::string after = {}, before = {};; before = after) {
    if (!after.empty()) command.set("after", command.arena().copy(after));
    Result<Reply> reply = connection_.call(command);
    if (!reply.ok()) return reply.status();
    Value const* const more = reply->messages.back().find("after");
    after = more == nullptr ? std::string{} : text_of(*more);
    for (Message& message : reply.value().messages) {
      if (message.command == answer)
        out.push_back(std::move(message));
      else if (message.command != "NOTHING")
        return unexpected(message, answer);
    }
    if (after.empty() || after == before) return out;
  }
}

Result<std::vector<Queue>> Queues::queues() {
  Message command = about("QUEUES");
  Result<std::vector<Message>> const found = all_pages(command, "QUEUE");
  if (!found.ok()) return found.status();
  std::vector<Queue> out;
  for (Message const& message : found.value())
    out.push_back({.queue = std::string{message.text("queue")},
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
                   .expires = DurationMs{message.integer("expires").value_or(0)}});
  return out;
}

Result<std::vector<Exchange>> Queues::exchanges() {
  Message command = about("EXCHANGES");
  Result<std::vector<Message>> const found = all_pages(command, "EXCHANGE");
  if (!found.ok()) return found.status();
  std::vector<Exchange> out;
  for (Message const& message : found.value()) {
    std::optional<ExchangeKind> const kind = found_in<ExchangeKind>(kKinds, message.text("kind"));
    if (!kind) return unexpected(message, "EXCHANGE of a known kind");
    out.push_back(
        {.exchange = std::string{message.text("exchange")}, .kind = *kind, .bindings = number(message, "bindings")});
  }
  return out;
}

Result<std::vector<Binding>> Queues::bindings(std::string_view exchange, std::string_view queue) {
  Message command = about("BINDINGS");
  set_if_any(command, "exchange", exchange);
  set_if_any(command, "queue", queue);
  Result<std::vector<Message>> const found = all_pages(command, "BINDING");
  if (!found.ok()) return found.status();
  std::vector<Binding> out;
  for (Message const& message : found.value())
    out.push_back({.binding = number(message, "binding"),
                   .exchange = std::string{message.text("exchange")},
                   .queue = std::string{message.text("queue")},
                   .routing_key = std::string{message.text("routing_key")}});
  return out;
}

// ---------------------------------------------------------------------------
// Queues and exchanges

Result<Declared> Queues::declared(Message const& command) {
  Result<Reply> const reply = connection_.call(command);
  if (!reply.ok()) return reply.status();
  std::optional<Declared> const result = found_in<Declared>(kDeclared, reply->first().text("result"));
  if (!result) return unexpected(reply->first(), "DECLARED or BOUND with a known result");
  return *result;
}

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
  return declared(command);
}

Result<Declared> Queues::declare_exchange(std::string_view exchange, ExchangeKind kind) {
  Message command = about("DECLARE");
  command.set("exchange", exchange);
  command.set("kind", kKinds[static_cast<std::size_t>(kind)]);
  return declared(command);
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
  return declared(command);
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
