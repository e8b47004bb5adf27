// Actions about queues: to make, show, change, empty and remove them, their tags, and dead letters that go back.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "plugins/queue/sqs_action.h"

namespace fastjournal::queue::sqs {
namespace {

constexpr std::int64_t kPageMax = 1000;
constexpr std::string_view kTaskPrefix = "fj-task-";

// An action that looks at its queue first.
class LookingAction : public Action {
 public:
  using Action::Action;

  void fill(Message& message) final {
    if (!queue_.empty() && !has_looked_) {
      message.command = "QUEUES";
      return message.add("queue", Value::of_text(queue_));
    }
    fill_next(message);
  }

  void take(Outgoing const& answer) final {
    if (has_looked_) return take_next(answer);
    if (is_refusal(answer) && error_of(answer).fault != Fault::queue_does_not_exist) return fail(error_of(answer));
    if (answer.command == "QUEUE" && number_in(answer, "leaving") == 0) facts_ = facts_of(answer);
    if (!answer.is_last) return;
    has_looked_ = true;
    looked();
  }

 protected:
  // What there is to know of the queue is in `facts_`; nothing: it is not there.
  virtual void looked() = 0;
  virtual void fill_next(Message& /*message*/) {}
  virtual void take_next(Outgoing const& answer) {
    if (is_refusal(answer)) return fail(error_of(answer));
    if (answer.is_last) end();
  }
  void fail_if_not_there() {
    if (!facts_) fail(no_queue(queue_));
  }

  std::string queue_{};
  std::optional<QueueFacts> facts_{};

 private:
  bool has_looked_{false};
};

class CreateQueue final : public LookingAction {
 public:
  CreateQueue(Request request, Context const& context) : LookingAction(std::move(request), context) {
    std::optional<Error> wrong;
    queue_ = text_of(given(), "QueueName", wrong).value_or("");
    if (queue_.empty() && !wrong) wrong = missing("QueueName");
    if (!wrong && !is_queue_name(queue_))
      wrong = invalid_value("QueueName", queue_.substr(0, 100),
                            "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.");
    if (wrong) {
      fail(std::move(*wrong));
      return;
    }
    QueueFacts fresh;
    fresh.name = queue_;
    change_.emplace(std::move(fresh));
    Json const* const attributes = member(given(), "Attributes");
    wrong = change_->take(attributes == nullptr ? Json::object() : *attributes, true);
    Json const* const tags = member(given(), "tags");
    if (!wrong && tags != nullptr && !tags->empty()) wrong = change_->tag(*tags);
    if (wrong) fail(std::move(*wrong));
    result_["QueueUrl"] = context_.place.url_of(queue_);
  }

 private:
  void looked() override {
    if (!facts_) return;
    Json const* const attributes = member(given(), "Attributes");
    if (attributes == nullptr || QueueChange::has_all(*facts_, *attributes, context_.place)) return end();
    fail(
        {Fault::queue_name_exists,
         fmt::format("A queue already exists with the same name and a different value for an attribute: {}.", queue_)});
  }
  void fill_next(Message& message) override { change_->fill(message); }
  void take_next(Outgoing const& answer) override {
    std::string_view const code = text_in(answer, "code");
    if (is_refusal(answer) && code == "wrong_state")
      return fail({Fault::queue_deleted_recently,
                   "The queue was deleted, and its messages are not all gone: try again in a moment."});
    if (is_refusal(answer) && code == "not_found")
      return fail({Fault::invalid_value, "RedrivePolicy: the queue of deadLetterTargetArn does not exist."});
    LookingAction::take_next(answer);
  }

  std::optional<QueueChange> change_{};
};

// Actions of which the queue is all that they need.
class GetQueueUrl final : public LookingAction {
 public:
  GetQueueUrl(Request request, Context const& context) : LookingAction(std::move(request), context) {
    std::optional<Error> wrong;
    queue_ = text_of(given(), "QueueName", wrong).value_or("");
    if (queue_.empty() && !wrong) wrong = missing("QueueName");
    if (!wrong && !is_queue_name(queue_)) wrong = no_queue(queue_.substr(0, 100));
    if (wrong) fail(std::move(*wrong));
  }

 private:
  void looked() override {
    fail_if_not_there();
    result_["QueueUrl"] = context_.place.url_of(queue_);
    end();
  }
};

class GetQueueAttributes final : public LookingAction {
 public:
  GetQueueAttributes(Request request, Context const& context) : LookingAction(std::move(request), context) {
    queue_ = queue_of_url();
    std::optional<Error> wrong;
    names_ = texts_of(given(), "AttributeNames", wrong);
    if (wrong && !error_) fail(std::move(*wrong));
  }

 private:
  void looked() override {
    if (!facts_) return fail_if_not_there();
    Json shown;
    if (std::optional<Error> wrong = show_attributes(*facts_, names_, context_.place, shown); wrong)
      return fail(std::move(*wrong));
    if (!shown.empty()) result_["Attributes"] = std::move(shown);
    end();
  }

  std::vector<std::string> names_;
};

class ListQueueTags final : public LookingAction {
 public:
  ListQueueTags(Request request, Context const& context) : LookingAction(std::move(request), context) {
    queue_ = queue_of_url();
  }

 private:
  void looked() override {
    if (!facts_) return fail_if_not_there();
    if (Json tags = facts_->tags(); !tags.empty()) result_["Tags"] = std::move(tags);
    end();
  }
};

// SetQueueAttributes, TagQueue, UntagQueue.
class ChangeQueue final : public LookingAction {
 public:
  ChangeQueue(Request request, Context const& context) : LookingAction(std::move(request), context) {
    queue_ = queue_of_url();
  }

 private:
  void looked() override {
    if (!facts_) return fail_if_not_there();
    change_.emplace(*facts_);
    std::optional<Error> wrong;
    if (request_.action == "UntagQueue") {
      change_->untag(texts_of(given(), "TagKeys", wrong));
    } else {
      char const* const name = request_.action == "TagQueue" ? "Tags" : "Attributes";
      Json const* const value = member(given(), name);
      if (value == nullptr)
        wrong = missing(name);
      else
        wrong = request_.action == "TagQueue" ? change_->tag(*value) : change_->take(*value, false);
    }
    if (wrong) fail(std::move(*wrong));
  }
  void fill_next(Message& message) override { change_->fill(message); }
  void take_next(Outgoing const& answer) override {
    if (is_refusal(answer) && text_in(answer, "code") == "not_found")
      return fail({Fault::invalid_value, "RedrivePolicy: the queue of deadLetterTargetArn does not exist."});
    LookingAction::take_next(answer);
  }

  std::optional<QueueChange> change_{};
};

// DeleteQueue and PurgeQueue. A purge is of what is there when it begins, a page after the other.
class EmptyQueue final : public LookingAction {
 public:
  EmptyQueue(Request request, Context const& context) : LookingAction(std::move(request), context) {
    queue_ = queue_of_url();
  }

 private:
  void looked() override { fail_if_not_there(); }
  void fill_next(Message& message) override {
    message.command = request_.action == "DeleteQueue" ? "REMOVE" : "PURGE";
    message.add("queue", Value::of_text(queue_));
  }
  void take_next(Outgoing const& answer) override {
    purged_ += number_in(answer, "count");
    if (number_in(answer, "more") == 0 || purged_ >= facts_->messages) LookingAction::take_next(answer);
  }

  std::uint64_t purged_{0};
};

// ListQueues and ListDeadLetterSourceQueues: a page of QUEUES after the other.
class ListQueues final : public Action {
 public:
  ListQueues(Request request, Context const& context) : Action(std::move(request), context) {
    std::optional<Error> wrong;
    is_of_dead_ = request_.action == "ListDeadLetterSourceQueues";
    if (is_of_dead_) dead_ = queue_of_url();
    prefix_ = text_of(given(), "QueueNamePrefix", wrong).value_or("");
    after_ = text_of(given(), "NextToken", wrong).value_or("");
    has_limit_ = member(given(), "MaxResults") != nullptr;
    most_ = number_of(given(), "MaxResults", 1, kPageMax, wrong).value_or(kPageMax);
    if (!after_.empty() && !is_queue_name(after_))
      wrong = invalid_value("NextToken", after_.substr(0, 100), "It is none of an answer of this server.");
    is_there_ = !is_of_dead_ || !after_.empty();
    if (wrong && !error_) fail(std::move(*wrong));
    result_[name()] = Json::array();
  }

  void fill(Message& message) override {
    message.command = "QUEUES";
    message.add("count", Value::of_integer(kPageMax));
    if (!after_.empty()) message.add("after", Value::of_text(message.arena().copy(after_)));
  }

  void take(Outgoing const& answer) override {
    if (is_refusal(answer)) return fail(error_of(answer));
    std::string const queue{text_in(answer, "queue")};
    Json& found = result_[name()];
    bool const stays = answer.command == "QUEUE" && number_in(answer, "leaving") == 0;
    is_there_ = is_there_ || (stays && queue == dead_);
    bool const is_one = stays && is_queue_name(queue) &&
                        (is_of_dead_ ? text_in(answer, "dead_letters") == dead_ : queue.starts_with(prefix_));
    if (is_one && found.size() == static_cast<std::size_t>(most_)) {
      if (has_limit_) result_["NextToken"] = last_;
      return end();
    }
    if (is_one) {
      found.push_back(context_.place.url_of(queue));
      last_ = queue;
    }
    if (!answer.is_last) return;
    after_ = text_in(answer, "after");
    if (!after_.empty()) return;
    if (!is_there_) return fail(no_queue(dead_));
    end();
  }

 private:
  [[nodiscard]] char const* name() const { return is_of_dead_ ? "queueUrls" : "QueueUrls"; }

  bool is_of_dead_{false};
  bool is_there_{false};  // the queue of dead letters
  bool has_limit_{false};
  std::string dead_;
  std::string prefix_;
  std::string after_;
  std::string last_;
  std::int64_t most_{kPageMax};
};

// ---------------------------------------------------------------------------
// Dead letters

Error no_resource(std::string_view parameter) {
  return {Fault::resource_not_found,
          fmt::format("The resource that you specified for the {} parameter doesn't exist.", parameter)};
}

class StartMove final : public LookingAction {
 public:
  StartMove(Request request, Context const& context) : LookingAction(std::move(request), context) {
    std::optional<Error> wrong;
    std::optional<std::string> const source = text_of(given(), "SourceArn", wrong);
    std::string const to = text_of(given(), "DestinationArn", wrong).value_or("");
    if (!source && !wrong) wrong = missing("SourceArn");
    if (member(given(), "MaxNumberOfMessagesPerSecond") != nullptr && !wrong)
      wrong = Error{Fault::unsupported, "MaxNumberOfMessagesPerSecond is not supported: messages are moved at once."};
    queue_ = name_in_arn(source.value_or(""));
    to_ = name_in_arn(to);
    if (!wrong && !is_queue_name(queue_)) wrong = no_resource("SourceArn");
    if (!wrong && !to.empty() && !is_queue_name(to_)) wrong = no_resource("DestinationArn");
    if (!wrong && to_ == queue_) wrong = invalid_value("DestinationArn", to, "It is the queue of SourceArn.");
    if (wrong) fail(std::move(*wrong));
  }
  // A task that did not come to its end moved some.
  ~StartMove() override {
    Shared::Task* const task = context_.shared.find(number_);
    if (task == nullptr || task->status != "RUNNING") return;
    task->status = "FAILED";
    task->failure = error() ? error()->message : "the connection ended";
  }
  StartMove(StartMove const&) = delete;
  StartMove& operator=(StartMove const&) = delete;

 private:
  void looked() override {
    if (!facts_) return fail(no_resource("SourceArn"));
    Shared& shared = context_.shared;
    number_ = ++shared.last_task;
    if (shared.tasks.size() == Shared::kTasksMax) shared.tasks.pop_front();
    shared.tasks.push_back({.number = number_, .source = queue_, .to = to_, .to_move = facts_->messages});
    result_["TaskHandle"] = fmt::format("{}{}", kTaskPrefix, number_);
  }
  void fill_next(Message& message) override {
    message.command = "MOVE";
    message.add("queue", Value::of_text(queue_));
    if (!to_.empty()) message.add("to", Value::of_text(to_));
    if (after_ > 0) message.add("after", Value::of_unsigned(after_));
  }
  void take_next(Outgoing const& answer) override {
    if (is_refusal(answer)) {
      Error error = error_of(answer);
      return fail(error.fault == Fault::queue_does_not_exist ? no_resource("DestinationArn") : std::move(error));
    }
    Shared::Task* const task = context_.shared.find(number_);
    if (task != nullptr) task->moved += number_in(answer, "count");
    // What came since the task began is of the next one.
    after_ = number_in(answer, "after");
    moved_ += number_in(answer, "count");
    if (number_in(answer, "more") != 0 && moved_ < facts_->messages) return;
    if (task != nullptr) task->status = "COMPLETED";
    end();
  }

  std::string to_;
  std::uint64_t after_{0};  // where the next page begins
  std::uint64_t moved_{0};
  std::uint64_t number_{0};
};

class ListMoves final : public LookingAction {
 public:
  ListMoves(Request request, Context const& context) : LookingAction(std::move(request), context) {
    std::optional<Error> wrong;
    std::optional<std::string> const source = text_of(given(), "SourceArn", wrong);
    most_ = static_cast<std::size_t>(number_of(given(), "MaxResults", 1, 10, wrong).value_or(1));
    if (!source && !wrong) wrong = missing("SourceArn");
    queue_ = name_in_arn(source.value_or(""));
    if (!wrong && !is_queue_name(queue_)) wrong = no_resource("SourceArn");
    if (wrong) fail(std::move(*wrong));
  }

 private:
  void looked() override {
    if (!facts_) return fail(no_resource("SourceArn"));
    Json found = Json::array();
    std::deque<Shared::Task> const& tasks = context_.shared.tasks;
    for (auto task = tasks.rbegin(); task != tasks.rend() && found.size() < most_; ++task)
      if (task->source == queue_) found.push_back(shown(*task));
    result_["Results"] = std::move(found);
    end();
  }
  [[nodiscard]] Json shown(Shared::Task const& task) const {
    Json out{{"Status", task.status},
             {"SourceArn", context_.place.arn_of(task.source)},
             {"ApproximateNumberOfMessagesMoved", task.moved},
             {"ApproximateNumberOfMessagesToMove", task.to_move}};
    if (!task.to.empty()) out["DestinationArn"] = context_.place.arn_of(task.to);
    if (!task.failure.empty()) out["FailureReason"] = task.failure;
    if (task.status == "RUNNING") out["TaskHandle"] = fmt::format("{}{}", kTaskPrefix, task.number);
    return out;
  }

  std::size_t most_{1};
};

// What is not here, and needs no command to say so.
class Unsupported final : public Action {
 public:
  Unsupported(Request request, Context const& context) : Action(std::move(request), context) {
    if (request_.action == "CancelMessageMoveTask")
      fail({Fault::resource_not_found,
            "There is no active task of this handle: a task is over with the answer to StartMessageMoveTask."});
    else
      fail({Fault::unsupported,
            fmt::format("{} is not supported: `fastjournal user add` gives users their rights.", request_.action)});
  }
  void fill(Message& /*message*/) override {}
  void take(Outgoing const& /*answer*/) override {}
};

template <typename T>
std::unique_ptr<Action> make(Request& request, Context const& context) {
  return std::make_unique<T>(std::move(request), context);
}

struct Name {
  std::string_view name;
  std::unique_ptr<Action> (*make)(Request&, Context const&);
};
constexpr std::array kNames{
    Name{"AddPermission", make<Unsupported>},
    Name{"CancelMessageMoveTask", make<Unsupported>},
    Name{"CreateQueue", make<CreateQueue>},
    Name{"DeleteQueue", make<EmptyQueue>},
    Name{"GetQueueAttributes", make<GetQueueAttributes>},
    Name{"GetQueueUrl", make<GetQueueUrl>},
    Name{"ListDeadLetterSourceQueues", make<ListQueues>},
    Name{"ListMessageMoveTasks", make<ListMoves>},
    Name{"ListQueueTags", make<ListQueueTags>},
    Name{"ListQueues", make<ListQueues>},
    Name{"PurgeQueue", make<EmptyQueue>},
    Name{"RemovePermission", make<Unsupported>},
    Name{"SetQueueAttributes", make<ChangeQueue>},
    Name{"StartMessageMoveTask", make<StartMove>},
    Name{"TagQueue", make<ChangeQueue>},
    Name{"UntagQueue", make<ChangeQueue>},
};

}  // namespace

std::unique_ptr<Action> make_queue_action(Request& request, Context const& context) {
  auto const* const found = std::ranges::find(kNames, request.action, &Name::name);
  return found == kNames.end() ? nullptr : found->make(request, context);
}

}  // namespace fastjournal::queue::sqs
