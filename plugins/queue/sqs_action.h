// What a request of SQS does: the commands of this table that it becomes, one after the other, and what their answers
// make of it. An action knows nothing of HTTP: sqs_protocol.h asks it for commands and gives it the answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "plugins/queue/sqs_error.h"
#include "plugins/queue/sqs_queue.h"
#include "plugins/queue/sqs_request.h"

namespace fastjournal::queue::sqs {

// What all connections share, since the start.
struct Shared {
  // A task that moved dead letters (StartMessageMoveTask). It is over with the answer to its request.
  struct Task {
    std::uint64_t number{0};
    std::string source{};  // names of queues
    std::string to{};      // empty: each to the queue on which it died
    std::uint64_t moved{0};
    std::uint64_t to_move{0};
    std::string_view status{"RUNNING"};
    std::string failure{};
  };
  static constexpr std::size_t kTasksMax = 1000;

  std::uint64_t requests{0};
  std::uint64_t last_task{0};
  std::deque<Task> tasks{};  // the newest last

  [[nodiscard]] Task* find(std::uint64_t number);
};

struct Context {
  Place place;
  Shared& shared;
};

class Action {
 public:
  Action(Request request, Context const& context) : request_(std::move(request)), context_(context) {}
  Action(Action const&) = delete;
  Action& operator=(Action const&) = delete;
  virtual ~Action() = default;

  // There is no further command: `result` is the answer, or `error` says why not.
  [[nodiscard]] bool is_done() const { return is_done_ || error_.has_value(); }
  // The next command. What it holds lives as long as this, or is in the message.
  virtual void fill(Message& message) = 0;
  // Whether that one waits, and is the last.
  [[nodiscard]] virtual bool waits() const { return false; }
  // A message of the answer to it.
  virtual void take(Outgoing const& answer) = 0;

  [[nodiscard]] Request const& request() const { return request_; }
  [[nodiscard]] Json const& result() const { return result_; }
  [[nodiscard]] std::optional<Error> const& error() const { return error_; }

 protected:
  [[nodiscard]] Json const& given() const { return request_.parameters; }
  void end() { is_done_ = true; }
  void fail(Error error) { error_ = std::move(error); }
  // The queue of the request, of QueueUrl. Empty: it failed.
  [[nodiscard]] std::string queue_of_url();

  Request request_;
  Context context_;
  Json result_ = Json::object();
  std::optional<Error> error_{};

 private:
  bool is_done_{false};
};

// One of a batch, or the only one. Each has commands of its own, and a result or an error.
class EntriesAction : public Action {
 public:
  // `is_batch`: of Entries. `named`: the queue of the request.
  EntriesAction(Request request, Context const& context, bool is_batch);

  void fill(Message& message) final { fill_entry(entries_[at_], message); }
  void take(Outgoing const& answer) final;

 protected:
  struct Entry {
    std::string id{};
    Json const* given{nullptr};
    std::optional<Error> error{};
    Json result = Json::object();
  };
  static constexpr std::size_t kEntriesMax = 10;

  // All entries, before the first command; what each wrong one says is its error.
  virtual void prepare(Entry& entry) = 0;
  virtual void fill_entry(Entry& entry, Message& message) = 0;
  // False: the entry needs another command.
  [[nodiscard]] virtual bool take_entry(Entry& entry, Outgoing const& answer) = 0;
  // To be called by constructors: prepares all.
  void begin();
  [[nodiscard]] std::size_t index_of(Entry const& entry) const {
    return static_cast<std::size_t>(&entry - entries_.data());
  }
  [[nodiscard]] std::vector<Entry>& entries() { return entries_; }

  std::string queue_;

 private:
  void read_batch();
  // To the next entry without an error, or to the end.
  void skip();
  void finish();

  bool is_batch_;
  std::size_t at_{0};
  std::vector<Entry> entries_;
};

// Null: there is no such action.
[[nodiscard]] std::unique_ptr<Action> make_action(Request request, Context const& context);
// Of sqs_messages.cpp and sqs_queues.cpp.
[[nodiscard]] std::unique_ptr<Action> make_message_action(Request& request, Context const& context);
[[nodiscard]] std::unique_ptr<Action> make_queue_action(Request& request, Context const& context);

}  // namespace fastjournal::queue::sqs
