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
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/date.h"
#include "clients/cpp/journal.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

struct SendOptions {
  bool binary{false};        // the body is bytes; otherwise it must be UTF-8
  std::string properties{};  // an object in JSON, which is given back byte by byte
  std::optional<std::uint8_t> priority{};
  std::optional<Date> process_date{};
  std::optional<Date> expiration_date{};
  // Of publish(), where the message is routed to no queue: it is refused (not_found), or dropped. Default: as the kind
  // of the exchange says.
  std::optional<bool> mandatory{};
  // Both or none; without them number_sends() decides.
  std::string client{};
  std::optional<std::uint64_t> sequence{};
};

enum class SentResult : std::uint8_t {
  sent,
  duplicate,  // client and sequence are known: nothing changed
  expired,    // in a transaction: it expired before the commit
};

struct Sent {
  std::uint64_t message{0};  // its number on the first of its queues; 0: it is on none
  std::uint64_t queues{0};   // that have it
  SentResult result{SentResult::sent};
  TimeMs process_date{};
};

// A message as returned by ACQUIRE or `deliver`, or as shown by BROWSE and READ (epoch 0, unless you may manage).
struct QueueMessage {
  std::string table{};
  std::uint64_t message{0};
  std::uint64_t epoch{0};  // of the lease
  std::string queue{};
  std::string body{};        // empty also if it was not asked for
  bool is_text{true};        // it was sent as text
  std::uint64_t bytes{0};    // of the body
  std::uint64_t offset{0};   // of a part that read() has brought
  std::string properties{};  // an object in JSON; empty: none
  std::string exchange{};
  std::string routing_key{};
  std::uint8_t priority{0};
  TimeMs process_date{};
  TimeMs sent_date{};
  std::optional<TimeMs> expiration_date{};
  TimeMs lease_end{};
  bool redelivered{false};      // it was handed out before
  std::uint64_t deliveries{0};  // those that failed or timed out
  std::string dead_of{};        // the queue on which it died
  std::uint64_t origin{0};      // messages of several queues that came as one have the same
  std::string status{};         // of BROWSE and READ: waiting, due, acquired or parked
  std::string worker{};
  std::string error{};        // what a consumer said last
  std::string error_trace{};  // only of READ: where it went wrong
};
// From a MESSAGE; invalid for any other message.
[[nodiscard]] Result<QueueMessage> queue_message_of(Message const& message);

struct AcquireOptions {
  std::string queue{};  // default: any
  std::uint32_t count{1};
  std::optional<DurationMs> lease{};  // default: the table's processing-timeout
  std::optional<DurationMs> wait{};   // for the first message; default: no waiting
  bool accept{false};                 // they are gone with the answer, without a lease: at most once
  std::string worker{};
};

struct Acquired {
  std::vector<QueueMessage> messages;  // empty: there is nothing
  std::optional<TimeMs> next_date{};   // if empty: when there may be a message, if the daemon knows it
};

// With an error it is a failed delivery: after too many the message is dead. Without one nothing is counted. `failed`
// says it otherwise.
struct GiveBackOptions {
  std::optional<Date> process_date{};
  std::string error{};  // at most 1 KiB is kept
  std::optional<bool> failed{};
  std::string error_trace{};  // where it went wrong; at most 16 KiB are kept
};

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

// What is absent stays as it is.
struct QueueOptions {
  std::optional<bool> temporary{};            // it ends with the connection, and is not there again after a reconnect
  std::optional<std::string> dead_letters{};  // the queue that gets dead messages; empty: they are parked
  std::optional<std::uint32_t> max_deliveries{};  // 0: as the table says
  std::optional<std::uint64_t> max_messages{};    // 0: no limit
  std::optional<std::uint64_t> max_bytes{};
  std::string when_full{};              // "refuse" or "drop"
  std::optional<DurationMs> expires{};  // how long messages last; 0: for ever
};

struct Queue {
  std::string queue;
  std::uint64_t messages{0};
  std::uint64_t due{0};
  std::uint64_t acquired{0};
  std::uint64_t parked{0};
  std::uint64_t bytes{0};
  bool temporary{false};
  bool declared{false};  // in the table's file
  bool leaving{false};   // it was removed, and its messages go
  std::string dead_letters;
  std::uint64_t max_deliveries{0};  // 0, here and below: no limit
  std::uint64_t max_messages{0};
  std::uint64_t max_bytes{0};
  std::string when_full;
  DurationMs expires{};
};

enum class ExchangeKind : std::uint8_t { direct, fanout, topic };

struct Exchange {
  std::string exchange;
  ExchangeKind kind{ExchangeKind::direct};
  std::uint64_t bindings{0};
};

struct Binding {
  std::uint64_t binding{0};  // its number
  std::string exchange;
  std::string queue;
  std::string routing_key;
};

struct BindOptions {
  std::string routing_key{};
  bool declare{false};    // the queue is made if there is none: a durable subscription
  bool temporary{false};  // it is made, and ends with the connection
};

enum class Declared : std::uint8_t { made, changed, unchanged };

struct BrowseOptions {
  std::string queue{};
  std::string status{};    // waiting, due, acquired or parked
  bool body{false};        // with their bodies
  std::uint32_t page{0};   // messages of a page, at most 1000; 0: as many as the daemon likes
  std::uint64_t after{0};  // those behind this number
};

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

// What PURGE and MOVE change: messages that no consumer has, in the order of the queue.
struct ChangeOptions {
  std::string status{};  // "waiting" (due ones too) or "parked"; empty: both
  std::uint64_t count{UINT64_MAX};
};

// Why a message is where it is.
struct Reason {
  std::string state;  // for programs: due, waiting, acquired, parked or leaving
  std::string text;   // a sentence for people
};

class Queues {
 public:
  // `connection` must outlive it.
  Queues(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  [[nodiscard]] Result<Sent> send(std::string_view queue, std::string_view body, SendOptions const& options = {});
  // To the queues that the exchange routes it to.
  [[nodiscard]] Result<Sent> publish(std::string_view exchange, std::string_view routing_key, std::string_view body,
                                     SendOptions const& options = {});

  [[nodiscard]] Result<Acquired> acquire(AcquireOptions const& options = {});
  // Returns the new end of the lease.
  [[nodiscard]] Result<TimeMs> touch(QueueMessage const& message, std::optional<DurationMs> lease = {});
  // It is dealt with, and leaves its queue.
  [[nodiscard]] Status accept(QueueMessage const& message);
  [[nodiscard]] Result<ReturnedMessage> release(QueueMessage const& message, GiveBackOptions const& options = {});
  // It can never be dealt with: it goes to the dead letters of its queue, or is parked.
  [[nodiscard]] Result<ReturnedMessage> reject(QueueMessage const& message, std::string_view error = {},
                                               std::string_view error_trace = {});
  // Remains in force after a reconnect; read the notices with wait_queue_notice. Messages delivered before a loss are
  // handed out again once the table's grace (0) is over. A second listen of the same queue changes mode and credit.
  [[nodiscard]] Status listen(QueueListenOptions const& options);
  [[nodiscard]] Status unlisten(std::string_view queue = {});

  [[nodiscard]] Browse browse(BrowseOptions options = {}) { return {connection_, table_, std::move(options)}; }
  // With its body, or a part of it. unknown_row: there is no such message.
  [[nodiscard]] Result<QueueMessage> read(std::uint64_t message);
  [[nodiscard]] Result<QueueMessage> read(std::uint64_t message, std::uint64_t offset, std::uint64_t length);
  [[nodiscard]] Result<Reason> why(std::uint64_t message);

  [[nodiscard]] Result<std::vector<Queue>> queues();
  [[nodiscard]] Result<std::vector<Exchange>> exchanges();
  // Of this exchange, of this queue; empty: of all.
  [[nodiscard]] Result<std::vector<Binding>> bindings(std::string_view exchange = {}, std::string_view queue = {});

  [[nodiscard]] Result<Declared> declare(std::string_view queue, QueueOptions const& options = {});
  [[nodiscard]] Result<Declared> declare_exchange(std::string_view exchange, ExchangeKind kind);
  // With its messages and bindings. not_found, also if it was resent after a loss and carried out before.
  [[nodiscard]] Status remove(std::string_view queue, bool if_empty = false);
  [[nodiscard]] Status remove_exchange(std::string_view exchange);
  [[nodiscard]] Result<Declared> bind(std::string_view exchange, std::string_view queue,
                                      BindOptions const& options = {});
  [[nodiscard]] Status unbind(std::string_view exchange, std::string_view queue, std::string_view routing_key = {});
  // Both return how many, page by page until all are done.
  [[nodiscard]] Result<std::uint64_t> purge(std::string_view queue, ChangeOptions const& options = {});
  // With their attempts reset; parked ones also to their own queue. After `closed` call it again: what was moved is no
  // longer there.
  [[nodiscard]] Result<std::uint64_t> move(std::string_view queue, std::string_view to,
                                           ChangeOptions const& options = {});

  // For pipelining and transactions: what send(), publish(), accept(), release() and reject() send, and the meaning of
  // the answers. Texts are borrowed.
  [[nodiscard]] Message send_of(std::string_view queue, std::string_view body, SendOptions const& options = {});
  [[nodiscard]] Message publish_of(std::string_view exchange, std::string_view routing_key, std::string_view body,
                                   SendOptions const& options = {});
  [[nodiscard]] Message accept_of(QueueMessage const& message) const;
  [[nodiscard]] Message release_of(QueueMessage const& message, GiveBackOptions const& options = {}) const;
  [[nodiscard]] Message reject_of(QueueMessage const& message, std::string_view error = {},
                                  std::string_view error_trace = {}) const;
  [[nodiscard]] static Result<Sent> sent_of(Message const& answer);
  // The meaning of an answer to RELEASE or REJECT.
  [[nodiscard]] static Result<ReturnedMessage> returned_of(Message const& answer);

 private:
  [[nodiscard]] Message about(std::string_view command) const;
  [[nodiscard]] Message on_lease(std::string_view command, QueueMessage const& message) const;
  void set_content(Message& message, std::string_view body, SendOptions const& options);
  [[nodiscard]] Result<std::uint64_t> change(Message& command, ChangeOptions const& options);

  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
