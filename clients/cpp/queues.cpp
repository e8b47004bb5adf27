#include "clients/cpp/queues.h"

#include <array>

#include <fmt/format.h>

#include "clients/cpp/made_queues_messages.h"

namespace fastjournal::client {

namespace {

constexpr std::array<std::string_view, 3> kModes{"wake", "row", "deliver"};  // indexed by ListenMode
constexpr std::array<std::string_view, 4> kFates{"RELEASED", "DEAD", "PARKED", "DELETED"};

}  // namespace

Result<QueueNotice> queue_notice_of(Message const& push) {
  if (push.command == "UNLISTENED")
    return Status{code_of_wire_name(push.text("code")).value_or(Code::unknown_table),
                  push.has("message")
                      ? std::string{push.text("message")}
                      : fmt::format("table {} was dropped: nothing is listened to any more", push.text("table"))};
  Result<QueueNotice> out = notice_from(push, "MESSAGE", "message", &QueueNotice::message, queue_message_from);
  if (out.ok()) out->queue = push.text("queue");
  return out;
}

Result<QueueNotice> wait_queue_notice(Connection& connection, Milliseconds limit, int wake_fd) {
  return then(connection.wait_push(limit, wake_fd), queue_notice_of);
}

Result<Sent> Queues::sent_of(Message const& answer) { return client::sent_of(answer); }

Result<ReturnedMessage> Queues::returned_of(Message const& answer) {
  std::optional<ReturnedMessage::Fate> const fate = word_in<ReturnedMessage::Fate>(kFates, answer.command);
  if (!fate) return unexpected(answer, "RELEASED, DEAD, PARKED or DELETED");
  return ReturnedMessage{
      .fate = *fate, .process_date = date_if_any(answer, "process_date"), .queue = std::string{answer.text("queue")}};
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

Result<std::optional<QueueMessage>> Browse::next() {
  // A page may be empty and have others behind it.
  while (taken_ == page_.size() && !ended_) {
    Message command = command_on(table_, "BROWSE");
    set_options(command, options_);
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

Browse Queues::browse(BrowseOptions options) { return {connection_, table_, std::move(options)}; }

Result<QueueMessage> Queues::read(std::uint64_t message, std::uint64_t offset, std::uint64_t length) {
  Message command = command_on(table_, "READ");
  command.set("message", Value::of_unsigned(message));
  command.set("offset", Value::of_unsigned(offset));
  command.set("length", Value::of_unsigned(length));
  return then(connection_.call(command), queue_message_of);
}

}  // namespace fastjournal::client
