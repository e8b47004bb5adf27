// SendMessage, ReceiveMessage, DeleteMessage and ChangeMessageVisibility, and their batches.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "plugins/queue/sqs_action.h"
#include "plugins/queue/sqs_message.h"
#include "wire/digest.h"

namespace fastjournal::queue::sqs {
namespace {

constexpr std::size_t kBatchBytesMax = 1'048'576;
constexpr std::int64_t kLeaseMaxS = 43'200;

Value copied(std::string_view text, Message& message) { return Value::of_text(message.arena().copy(text)); }

void ask_for(std::string_view queue, Message& message) {
  message.command = "QUEUES";
  message.add("queue", Value::of_text(queue));
}

// ---------------------------------------------------------------------------
// SendMessage

class Send final : public EntriesAction {
 public:
  Send(Request request, Context const& context, bool is_batch) : EntriesAction(std::move(request), context, is_batch) {
    parts_.resize(entries().size());
    begin();
    if (bytes_ > kBatchBytesMax)
      fail({Fault::batch_too_long, fmt::format("Batch requests cannot be longer than {} bytes. You have sent {} bytes.",
                                               kBatchBytesMax, bytes_)});
  }

 private:
  struct Parts {
    std::string body{};
    std::string properties{};
    std::string group{};
    std::string deduplication{};
    std::optional<std::int64_t> delay_s{};
  };

  void prepare(Entry& entry) override {
    Parts& parts = parts_[index_of(entry)];
    std::optional<Error>& wrong = entry.error;
    std::optional<std::string> body = text_of(*entry.given, "MessageBody", wrong);
    parts.delay_s = number_of(*entry.given, "DelaySeconds", 0, 900, wrong);
    parts.group = text_of(*entry.given, "MessageGroupId", wrong).value_or("");
    parts.deduplication = text_of(*entry.given, "MessageDeduplicationId", wrong).value_or("");
    if (wrong) return;
    if (!body || body->empty()) {
      wrong = missing("MessageBody");
      return;
    }
    if (!is_text(*body)) {
      wrong = {Fault::invalid_contents,
               "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to "
               "#xFFFD | #x10000 to #x10FFFF"};
      return;
    }
    parts.body = std::move(*body);
    bytes_ += parts.body.size();
    entry.result["MD5OfMessageBody"] = protocol::md5_hex(parts.body);
    Json properties = Json::object();
    take_all(entry, "MessageAttributes", "", "MD5OfMessageAttributes", properties);
    take_all(entry, "MessageSystemAttributes", "AWS.", "MD5OfMessageSystemAttributes", properties);
    prepare_fifo(entry, parts);
    if (!parts.deduplication.empty()) properties[std::string{kDeduplicationId}] = parts.deduplication;
    if (!properties.empty()) parts.properties = properties.dump(-1, ' ', false, Json::error_handler_t::replace);
    bytes_ += parts.properties.size();
  }

  void take_all(Entry& entry, std::string_view name, std::string_view prefix, char const* digest, Json& properties) {
    Json const* const attributes = member(*entry.given, name);
    if (attributes == nullptr || attributes->empty() || entry.error) return;
    entry.error = take_attributes(*attributes, prefix, properties);
    if (!entry.error) entry.result[digest] = digest_of(*attributes);
  }

  void prepare_fifo(Entry& entry, Parts& parts) {
    if (entry.error) return;
    constexpr std::size_t kMax = 128;
    auto const fits = [](std::string_view text) {
      return text.size() <= kMax && std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
    };
    if (!is_fifo(queue_)) {
      // One of fair queues, which a queue without order has no use for.
      parts.group.clear();
      if (parts.deduplication.empty()) return;
      entry.error = invalid_value("MessageDeduplicationId", parts.deduplication,
                                  "The request includes a parameter that is not valid for this queue type.");
      return;
    }
    if (parts.group.empty())
      entry.error = missing("MessageGroupId");
    else if (!fits(parts.group) || !fits(parts.deduplication))
      entry.error = invalid_value(fits(parts.group) ? "MessageDeduplicationId" : "MessageGroupId", parts.group,
                                  "It can have 1 to 128 alphanumeric characters and punctuation.");
    else if (parts.delay_s)
      entry.error = invalid_value("DelaySeconds", std::to_string(*parts.delay_s),
                                  "The request includes a parameter that is not valid for this queue type.");
    must_look_ = must_look_ || parts.deduplication.empty();
  }

  void fill_entry(Entry& entry, Message& message) override {
    if (must_look_) return ask_for(queue_, message);
    Parts const& parts = parts_[index_of(entry)];
    message.command = "SEND";
    message.add("queue", Value::of_text(queue_));
    message.add("body", Value::of_text(parts.body));
    if (!parts.properties.empty()) message.add("properties", Value::of_text(parts.properties));
    if (parts.delay_s) message.add("process_date", copied(fmt::format("+{}", *parts.delay_s * 1000), message));
    if (!parts.group.empty()) message.add("group", Value::of_text(parts.group));
    if (!parts.deduplication.empty()) message.add("deduplication", Value::of_text(parts.deduplication));
  }

  bool take_entry(Entry& entry, Outgoing const& answer) override {
    if (must_look_) return take_look(entry, answer);
    if (is_refusal(answer)) {
      entry.error = error_of(answer);
      if (entry.error->fault == Fault::queue_does_not_exist) fail(no_queue(queue_));
      return true;
    }
    std::uint64_t const message = number_in(answer, "message");
    entry.result["MessageId"] = id_of(message);
    if (is_fifo(queue_)) entry.result["SequenceNumber"] = sequence_of(message);
    return true;
  }

  // Whether what is sent is known by its contents.
  bool take_look(Entry& entry, Outgoing const& answer) {
    if (answer.command != "QUEUE") {
      fail(is_refusal(answer) ? error_of(answer) : no_queue(queue_));
      return true;
    }
    must_look_ = false;
    bool const is_by_content = facts_of(answer).own(kByContent) == "true";
    for (Parts& parts : parts_)
      if (parts.deduplication.empty() && is_by_content) parts.deduplication = protocol::sha256_hex(parts.body);
    for (Entry& one : entries())
      if (parts_[index_of(one)].deduplication.empty() && !one.error)
        one.error = {Fault::invalid_value,
                     "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId "
                     "provided explicitly"};
    return entry.error.has_value();
  }

  std::vector<Parts> parts_;
  std::size_t bytes_{0};
  bool must_look_{false};
};

// ---------------------------------------------------------------------------
// ReceiveMessage

class Receive final : public Action {
 public:
  Receive(Request request, Context const& context) : Action(std::move(request), context), queue_(queue_of_url()) {
    std::optional<Error> wrong;
    count_ = number_of(given(), "MaxNumberOfMessages", 1, 10, wrong).value_or(1);
    lease_s_ = number_of(given(), "VisibilityTimeout", 0, kLeaseMaxS, wrong);
    wait_s_ = number_of(given(), "WaitTimeSeconds", 0, 20, wrong);
    wanted_ = texts_of(given(), "MessageAttributeNames", wrong);
    system_ = texts_of(given(), "AttributeNames", wrong);
    for (std::string& name : texts_of(given(), "MessageSystemAttributeNames", wrong))
      system_.push_back(std::move(name));
    if (wrong && !error_) fail(std::move(*wrong));
    result_["Messages"] = Json::array();
  }

  void fill(Message& message) override {
    if (!wait_s_) return ask_for(queue_, message);
    message.command = "ACQUIRE";
    message.add("queue", Value::of_text(queue_));
    message.add("count", Value::of_integer(count_));
    if (lease_s_) message.add("lease", Value::of_integer(std::max<std::int64_t>(1, *lease_s_ * 1000)));
    if (*wait_s_ == 0) return;
    message.add("wait", Value::of_integer(*wait_s_ * 1000));
    message.add("request", Value::of_integer(1));
  }

  [[nodiscard]] bool waits() const override { return wait_s_.value_or(0) > 0; }

  void take(Outgoing const& answer) override {
    if (is_refusal(answer)) {
      Error error = error_of(answer);
      return fail(error.fault == Fault::queue_does_not_exist ? no_queue(queue_) : std::move(error));
    }
    if (!wait_s_) {
      if (answer.command != "QUEUE") return fail(no_queue(queue_));
      wait_s_ = Value::of_text(facts_of(answer).own(kWait)).as_integer().value_or(0);
      return;
    }
    if (answer.command == "MESSAGE") result_["Messages"].push_back(shown(answer));
    if (answer.is_last) end();
  }

 private:
  [[nodiscard]] Json shown(Outgoing const& message) const {
    std::uint64_t const number = number_in(message, "message");
    std::string body = body_in(message);
    Json out{{"MessageId", id_of(number)},
             {"ReceiptHandle", handle_of(number, number_in(message, "epoch"), queue_)},
             {"MD5OfBody", protocol::md5_hex(body)}};
    out["Body"] = std::move(body);
    if (!system_.empty())
      if (Json system = system_attributes(message, number); !system.empty()) out["Attributes"] = std::move(system);
    if (Json attributes = attributes_in(text_in(message, "properties"), wanted_); !attributes.empty()) {
      out["MD5OfMessageAttributes"] = digest_of(attributes);
      out["MessageAttributes"] = std::move(attributes);
    }
    return out;
  }

  [[nodiscard]] Json system_attributes(Outgoing const& message, std::uint64_t number) const {
    std::string_view const properties = text_in(message, "properties");
    Json out = Json::object();
    auto const add = [&](char const* name, std::string value) {
      if (!value.empty() && is_wanted(name, system_)) out[name] = std::move(value);
    };
    add("SentTimestamp", std::to_string(number_in(message, "sent_date")));
    add("ApproximateReceiveCount", std::to_string(number_in(message, "deliveries") + 1));
    if (std::string_view const dead_of = text_in(message, "dead_of"); !dead_of.empty())
      add("DeadLetterQueueSourceArn", context_.place.arn_of(dead_of));
    add("AWSTraceHeader", system_property(properties, kTraceHeader));
    if (!is_fifo(queue_)) return out;
    add("MessageGroupId", std::string{text_in(message, "group")});
    add("MessageDeduplicationId", system_property(properties, kDeduplicationId));
    add("SequenceNumber", sequence_of(number));
    return out;
  }

  std::string queue_;
  std::int64_t count_{1};
  std::optional<std::int64_t> lease_s_{};
  std::optional<std::int64_t> wait_s_{};
  std::vector<std::string> wanted_;
  std::vector<std::string> system_;
};

// ---------------------------------------------------------------------------
// Leases

class LeasesAction : public EntriesAction {
 public:
  using EntriesAction::EntriesAction;

 protected:
  void prepare(Entry& entry) override {
    std::optional<std::string> const text = text_of(*entry.given, "ReceiptHandle", entry.error);
    handles_.emplace_back();
    if (entry.error) return;
    if (!text) {
      entry.error = missing("ReceiptHandle");
      return;
    }
    std::optional<Handle> const handle = read_handle(*text, queue_);
    if (!handle)
      entry.error = {Fault::handle_is_invalid,
                     fmt::format("The input receipt handle {} is not a valid receipt handle of "
                                 "this queue.",
                                 Json(text->substr(0, 64)).dump(-1, ' ', true, Json::error_handler_t::replace))};
    else
      handles_.back() = *handle;
  }

  void name_lease(std::string_view command, Handle const& handle, Message& message) {
    message.command = command;
    message.add("message", Value::of_unsigned(handle.message));
    message.add("epoch", Value::of_unsigned(handle.epoch));
  }
  [[nodiscard]] Handle const& handle_of_entry(Entry const& entry) const { return handles_[index_of(entry)]; }

 private:
  std::vector<Handle> handles_;
};

class Delete final : public LeasesAction {
 public:
  Delete(Request request, Context const& context, bool is_batch) : LeasesAction(std::move(request), context, is_batch) {
    begin();
  }

 private:
  void fill_entry(Entry& entry, Message& message) override {
    Handle const& handle = handle_of_entry(entry);
    if (!is_unleased_) return name_lease("ACCEPT", handle, message);
    message.command = "DELETE";
    message.add("message", Value::of_unsigned(handle.message));
  }

  // A message that is gone was deleted. One whose lease is over is deleted all the same, if nobody has it since; in a
  // FIFO queue its place in the order may have been taken: it is refused.
  bool take_entry(Entry& entry, Outgoing const& answer) override {
    bool const was_unleased = std::exchange(is_unleased_, false);
    if (!is_refusal(answer)) return true;
    std::string_view const code = text_in(answer, "code");
    if (code == "unknown_row") return true;
    if (!was_unleased && is_over(answer) && !is_fifo(queue_)) {
      is_unleased_ = true;
      return false;
    }
    if (was_unleased && code == "wrong_state") return true;
    entry.error = error_of(answer);
    if (is_over(answer) || was_unleased)
      entry.error = {Fault::handle_is_invalid, "The receipt handle has expired: its message may be received again."};
    return true;
  }

  bool is_unleased_{false};
};

class ChangeVisibility final : public LeasesAction {
 public:
  ChangeVisibility(Request request, Context const& context, bool is_batch)
      : LeasesAction(std::move(request), context, is_batch) {
    begin();
  }

 private:
  void prepare(Entry& entry) override {
    LeasesAction::prepare(entry);
    timeouts_.push_back(-1);
    if (entry.error) return;
    std::optional<std::int64_t> const timeout =
        number_of(*entry.given, "VisibilityTimeout", 0, kLeaseMaxS, entry.error);
    if (!timeout && !entry.error) entry.error = missing("VisibilityTimeout");
    timeouts_.back() = timeout.value_or(0);
  }

  // To receive it again at once is one more failed delivery, as if its lease had ended.
  void fill_entry(Entry& entry, Message& message) override {
    std::int64_t const timeout_s = timeouts_[index_of(entry)];
    name_lease(timeout_s == 0 ? "RELEASE" : "TOUCH", handle_of_entry(entry), message);
    if (timeout_s > 0) return message.add("lease", Value::of_integer(timeout_s * 1000));
    message.add("failed", Value::of_integer(1));
    message.add("process_date", Value::of_text("+0"));
  }

  bool take_entry(Entry& entry, Outgoing const& answer) override {
    if (!is_refusal(answer)) return true;
    if (text_in(answer, "code") == "unknown_row")
      entry.error = invalid_value("ReceiptHandle", text_of(*entry.given, "ReceiptHandle", entry.error).value_or(""),
                                  "Message does not exist or is not available for visibility timeout change.");
    else if (is_over(answer))
      entry.error = {Fault::not_in_flight, "The message referred to is not in flight: its visibility timeout is over."};
    else
      entry.error = error_of(answer);
    return true;
  }

  std::vector<std::int64_t> timeouts_;
};

}  // namespace

std::unique_ptr<Action> make_message_action(Request& request, Context const& context) {
  std::string const name = request.action;
  bool const is_batch = name.ends_with("Batch");
  if (name == "SendMessage" || name == "SendMessageBatch")
    return std::make_unique<Send>(std::move(request), context, is_batch);
  if (name == "ReceiveMessage") return std::make_unique<Receive>(std::move(request), context);
  if (name == "DeleteMessage" || name == "DeleteMessageBatch")
    return std::make_unique<Delete>(std::move(request), context, is_batch);
  if (name == "ChangeMessageVisibility" || name == "ChangeMessageVisibilityBatch")
    return std::make_unique<ChangeVisibility>(std::move(request), context, is_batch);
  return nullptr;
}

}  // namespace fastjournal::queue::sqs
