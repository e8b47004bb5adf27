// The commands of a queue table, typed: for producers (send, publish), for consumers (acquire, touch, accept, release,
// reject), and for who looks after its queues and exchanges.
//
//   Queues post(connection, "post");
//   post.number_sends();
//   post.send("orders", "four pizzas", {.properties = R"({"table":7})", .priority = 20});
//   post.publish("news", "italy.rome.weather", "rain");
//
//   Result<Acquired> acquired = post.acquire({.queue = "orders", .count = 8, .wait = DurationMs{30'000}});
//   if (acquired.ok())
//     for (QueueMessage const& message : acquired->messages) {
//       Status did = cook(message.body);
//       Status said = did.ok() ? post.accept(message) : post.release(message, {.error = did.text()}).status();
//     }
//
// The same with messages that arrive by themselves, up to `credit` at a time:
//
//   Status listening = post.listen({.queue = "orders", .credit = 64});
//   while (listening.ok()) {
//     Result<QueueNotice> notice = wait_queue_notice(connection, kForever);
//     if (!notice.ok()) break;
//     if (notice->kind == QueueNotice::Kind::delivered) work_on(notice->message);
//   }
//
// Every call returns what Connection::call does when it fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/journal.h"
#include "clients/cpp/made_queues.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// The fate of a message that was released or rejected.
struct ReturnedMessage {
  enum class Fate : std::uint8_t {
    released,  // it waits again
    dead,      // it is on `queue`, its dead letters
    parked,    // there are none: it is kept for an operator
    deleted,   // it has expired
  };
  Fate fate{Fate::released};
  std::optional<TimeMs> process_date{};  // of a released one
  std::string queue{};
};

struct QueueListenOptions {
  ListenMode mode{ListenMode::deliver};
  std::string queue{};                // default: all queues
  std::uint32_t credit{1};            // deliver: 1 to 1024
  std::optional<DurationMs> lease{};  // deliver
  std::string worker{};               // deliver
};

// A notice to a listener.
struct QueueNotice {
  enum class Kind : std::uint8_t {
    work,       // wake: `ready` messages wait, the first one due since `date`
    due,        // row: `message` has the number and the process date
    missed,     // row: number of messages without a notice, because this side did not read
    delivered,  // deliver: `message` is leased to this connection
  };
  Kind kind{Kind::work};
  std::string table;
  std::string queue;  // of the LISTEN, if it has one; of a delivered message always
  std::uint64_t ready{0};
  std::uint64_t missed{0};
  TimeMs date{};
  QueueMessage message;
};
// From a LISTEN or MESSAGE push. Not ok: the refusal in an ERROR (a subscription that failed after a reconnect), or the
// end of a subscription.
[[nodiscard]] Result<QueueNotice> queue_notice_of(Message const& push);
// The next notice of any queue table that the connection listens to. Errors as for Connection::wait_push.
[[nodiscard]] Result<QueueNotice> wait_queue_notice(Connection& connection, Milliseconds limit, int wake_fd = -1);

// Messages by their numbers, page by page, without taking them. Its connection must outlive it, and may be used for
// other commands between the calls.
class Browse {
 public:
  Browse(Connection& connection, std::string table, BrowseOptions options)
      : connection_(&connection), table_(std::move(table)), options_(std::move(options)) {}

  // Empty: the end. After an error the same page may be asked for again.
  [[nodiscard]] Result<std::optional<QueueMessage>> next();

 private:
  Connection* connection_;
  std::string table_;
  BrowseOptions options_;
  bool ended_{false};
  std::vector<QueueMessage> page_;
  std::size_t taken_{0};
};

// With the calls of made_queues.h.
class Queues : public QueueCalls {
 public:
  using QueueCalls::QueueCalls;
  using QueueCalls::read;

  // Shows messages by their number, without taking them.
  [[nodiscard]] Browse browse(BrowseOptions options = {});
  // A part of its body.
  [[nodiscard]] Result<QueueMessage> read(std::uint64_t message, std::uint64_t offset, std::uint64_t length);
  // Remains in force after a reconnect; read the notices with wait_queue_notice. Messages delivered before a loss are
  // handed out again once the table's grace (0) is over. A second listen of the same queue changes mode and credit.
  [[nodiscard]] Status listen(QueueListenOptions const& options);
  [[nodiscard]] Status unlisten(std::string_view queue = {});
  // The meaning of the answers to SEND, and to RELEASE or REJECT.
  [[nodiscard]] static Result<Sent> sent_of(Message const& answer);
  [[nodiscard]] static Result<ReturnedMessage> returned_of(Message const& answer);
};

}  // namespace fastjournal::client
