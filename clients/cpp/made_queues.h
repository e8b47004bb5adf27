// Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.
// clang-format off
// Message queues: named queues, exchanges that route to them, messages that are acquired and accepted, all of it
// transactional. Options, records, calls: for queues.h, which has what is special.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/date.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

struct ReturnedMessage;

// duplicate: client and sequence are known, nothing changed. expired: in a transaction, before the commit.
enum class SentResult : std::uint8_t { sent, duplicate, expired };

enum class ExchangeKind : std::uint8_t { direct, fanout, topic };

enum class Declared : std::uint8_t { made, changed, unchanged };

// The message is on its queues, synced.
struct Sent {
  std::uint64_t message{0};  // its number on the first of its queues; absent: on none
  std::uint64_t queues{0};   // on how many queues it is
  SentResult result{};       // sent or duplicate; of a transaction also expired
  TimeMs process_date{};     // not handed out before
};
// From a SENT; invalid for any other message.
[[nodiscard]] Result<Sent> sent_of(Message const& message);

// A message as returned by ACQUIRE or `deliver`, or as shown by BROWSE and READ (epoch 0, unless you may manage).
struct QueueMessage {
  std::string table{};       // the table
  std::uint64_t message{0};  // its number on this queue
  // of the lease; READ and BROWSE tell it to its holder, and to those who may manage the table
  std::uint64_t epoch{0};
  std::string queue{};                      // the queue
  std::string body{};                       // its body, of text
  bool is_text{true};                       // sent as text
  std::uint64_t bytes{0};                   // bytes of its body
  std::uint64_t offset{0};                  // of a part of its body: the first byte
  std::string properties{};                 // its properties
  std::string exchange{};                   // the exchange by which it came
  std::string routing_key{};                // its routing key
  std::uint64_t priority{0};                // its priority
  TimeMs process_date{};                    // its date
  TimeMs sent_date{};                       // when it came
  std::optional<TimeMs> expiration_date{};  // when it expires
  TimeMs lease_end{};                       // when the lease is over
  bool redelivered{false};                  // it was handed out before
  std::uint64_t deliveries{0};              // deliveries that failed or timed out
  std::string dead_of{};                    // the queue on which it died
  std::uint64_t origin{0};                  // messages of several queues that came as one have the same
  // waiting (for its date), due, behind (another one of its group), acquired or parked
  std::string status{};
  std::string worker{};       // who has it
  std::string error{};        // what a consumer said last
  std::string error_trace{};  // where it went wrong, as that consumer said
  DurationMs lease{};         // how long its leases last, in ms, if it says so itself
  // counted in its life, up to 255, where message-counts says so: how often it was handed out
  std::uint64_t leases{0};
  std::uint64_t returns{0};   // the same: given back by RELEASE
  std::uint64_t parkings{0};  // the same: parked
  std::uint64_t kicks{0};     // the same: put back to work by KICK or MOVE
  std::uint64_t timeouts{0};  // the same: leases that timed out, but for those whose connection was lost
};
// From a MESSAGE; invalid for any other message.
[[nodiscard]] Result<QueueMessage> queue_message_of(Message const& message);

// Why a message is where it is.
struct Reason {
  std::string state{};  // a word for programs: due, paused, waiting, behind, acquired, parked or leaving
  std::string text{};   // a sentence for people
};
// From a REASON; invalid for any other message.
[[nodiscard]] Result<Reason> reason_of(Message const& message);

// A queue.
struct Queue {
  std::string queue{};                 // its name
  std::uint64_t messages{0};           // messages on it
  std::uint64_t due{0};                // of these, ready to be handed out
  std::uint64_t behind{0};             // of these, waiting for another one of their group; missing if there are none
  std::uint64_t urgent{0};             // of the due ones, with a priority below 1024; 100,000 are looked at, at most
  std::uint64_t acquired{0};           // of these, with consumers
  std::uint64_t parked{0};             // of these, parked for an operator
  std::uint64_t bytes{0};              // bytes of their bodies
  bool temporary{false};               // it ends with its connection
  bool declared{false};                // in the table's file
  bool leaving{false};                 // it was removed, and its messages go
  std::string dead_letters{};          // the queue of dead letters
  std::uint64_t max_deliveries{0};     // its limit
  std::uint64_t max_messages{0};       // its limit
  std::uint64_t max_bytes{0};          // its limit
  std::string when_full{};             // refuse or drop
  DurationMs lease{};                  // how long consumers of its messages may take, in ms
  bool paused{false};                  // it hands out nothing
  TimeMs paused_until{};               // when it goes on by itself
  TimeMs now{};                        // of a queue that is paused until a date: the date at the daemon
  std::string pause_reason{};          // why, as was said
  DurationMs expires{};                // how long its messages last, in ms
  DurationMs delay{};                  // how long a message without a date waits, in ms
  std::uint64_t max_message_bytes{0};  // bytes of a body, at most
  std::string properties{};            // what goes with it, as it came; only of a queue that was named
  TimeMs made_date{};                  // when it was made
  TimeMs changed_date{};               // when DECLARE changed it last, or made it
};
// From a QUEUE; invalid for any other message.
[[nodiscard]] Result<Queue> queue_of(Message const& message);

// An exchange.
struct Exchange {
  std::string exchange{};     // its name
  ExchangeKind kind{};        // direct, fanout or topic
  std::uint64_t bindings{0};  // how many it has
};
// From an EXCHANGE; invalid for any other message.
[[nodiscard]] Result<Exchange> exchange_of(Message const& message);

// A binding.
struct Binding {
  std::uint64_t binding{0};   // its number
  std::string exchange{};     // the exchange
  std::string queue{};        // the queue
  std::string routing_key{};  // the routing key or pattern
};
// From a BINDING; invalid for any other message.
[[nodiscard]] Result<Binding> binding_of(Message const& message);

struct Acquired {
  std::vector<QueueMessage> messages{};  // empty: there is none
  std::optional<TimeMs> next_date{};     // if empty: when there may be one, if the daemon knows it
};

struct SendOptions {
  bool binary{false};  // the body is bytes: else it must be UTF-8
  // what goes with it: an object in JSON, which is given back as it came (at most 65536 bytes)
  std::string properties{};
  // the smallest is first; up to 255, unless the table says otherwise by priorities (0 to 4294967295; 100 if absent)
  std::optional<std::uint64_t> priority{};
  std::optional<Date> process_date{};     // not to be handed out before; now if absent
  std::optional<Date> expiration_date{};  // not to be handed out from then on; 0 or absent: as the queue says
  // 1: refused if the exchange routes it to no queue; 0: then it is dropped, and the answer says so. 1 for a direct
  // exchange if absent, else 0
  std::optional<bool> mandatory{};
  // the producer's name for this start of it; with sequence: resent messages are there once (at most 128 bytes)
  std::string client{};
  std::optional<std::uint64_t> sequence{};  // the number of this message by this client
  // how long its consumers may take unless they say otherwise; as the queue says if absent (1 to 31536000000)
  std::optional<DurationMs> lease{};
};

struct AcquireOptions {
  std::string queue{};  // the queue; of any by turns if absent (at most 255 bytes)
  // several of them, 256 at most, in place of queue: the first message of all of them, by priority, then in the order
  // of one queue, without turns (at most 4096 bytes)
  std::string queues{};
  std::uint32_t count{1};  // how many messages at most (1 to 1024; 1 if absent)
  // how long the consumer may take; if absent, as the message or its queue says (processing-timeout-min to processing-
  // timeout-max; processing-timeout if absent)
  std::optional<DurationMs> lease{};
  // how long to wait for a message when there is none (0 to 31536000000; 0 if absent)
  std::optional<DurationMs> wait{};
  bool accept{false};  // they are gone with the answer, without lease and ACCEPT: at most once
  // the consumer's name, for people; peer address and connection if absent (at most 256 bytes)
  std::string worker{};
};

// With an error it is a failed delivery: after too many the message is dead. Without one nothing is counted. `failed`
// says it otherwise.
struct GiveBackOptions {
  // when it may be handed out again; if absent: at once, or after the back-off of a failed delivery
  std::optional<Date> process_date{};
  // what went wrong, for people. Makes it a failed delivery (1024 bytes are kept)
  std::string error{};
  std::optional<bool> failed{};  // 1: a failed delivery, also without error; 0: none, also with one
  // where it went wrong, as a traceback, for people. Makes it a failed delivery (65536 bytes are kept)
  std::string error_trace{};
  // its new priority, as in SEND; it keeps the old one if absent (0 to 4294967295)
  std::optional<std::uint64_t> priority{};
};

// What is absent stays as it is.
struct QueueOptions {
  std::optional<bool> temporary{};  // 1, it ends with this connection
  // the queue that gets what is rejected, or was delivered too often; empty: they are parked
  std::optional<std::string> dead_letters{};
  // a message that failed so often is dead; 0: as the option max-deliveries
  std::optional<std::uint32_t> max_deliveries{};
  std::optional<std::uint64_t> max_messages{};  // so many messages at most; 0: no limit (0 to 4000000000)
  // so many bytes of bodies at most; 0: no limit (0 to 1125899906842624)
  std::optional<std::uint64_t> max_bytes{};
  std::string when_full{};  // refuse (SEND), or drop (the first messages, which are dead then)
  // how long consumers of its messages may take, unless message or ACQUIRE say otherwise; 0: as the option processing-
  // timeout (0 to 31536000000)
  std::optional<DurationMs> lease{};
  // its messages expire so long after they came, or after their process_date; 0: never (0 to 315360000000)
  std::optional<DurationMs> expires{};
  // a message that is sent without process_date is handed out so long after it came; 0: at once (0 to 31536000000)
  std::optional<DurationMs> delay{};
  // a body has so many bytes at most; 0: as the option message-size-max (0 to 67108864)
  std::optional<std::uint64_t> max_message_bytes{};
  // what goes with it, one object in JSON, which QUEUES of this queue gives back as it came; empty: nothing (at most
  // 8192 bytes)
  std::string properties{};
};

struct BindOptions {
  // of a direct exchange the routing key; of a topic exchange a pattern, where * stands for a word and # for any number
  // of them (at most 255 bytes)
  std::string routing_key{};
  bool declare{false};    // the queue is made if there is none: a durable subscription
  bool temporary{false};  // it is made, and ends with this connection: a subscription that does not last
};

struct BrowseOptions {
  std::string queue{};     // of this queue only (at most 255 bytes)
  std::string status{};    // in this state only
  bool body{false};        // with their bodies
  std::uint32_t page{0};   // how many messages at most
  std::uint64_t after{0};  // go on behind this message, as the page before said
};

// What PURGE and MOVE change: messages that no consumer has, in the order of the queue.
struct ChangeOptions {
  std::string status{};             // in this state only; both if absent
  std::uint64_t count{UINT64_MAX};  // how many messages at most
};

struct KickQueueOptions {
  std::uint64_t count{UINT64_MAX};  // how many messages at most
};

// The calls of queues.h that are one command each.
class QueueCalls {
 public:
  // `connection` must outlive it.
  QueueCalls(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  // Puts a message on a queue, or by an exchange on each queue that it routes to.
  [[nodiscard]] Result<Sent> send(std::string_view queue, std::string_view body, SendOptions const& options = {},
                                  std::string_view group = {}, std::string_view deduplication = {});
  // Sends a message to the queues that the exchange routes it to.
  [[nodiscard]] Result<Sent> publish(std::string_view exchange, std::string_view routing_key, std::string_view body,
                                     SendOptions const& options = {}, std::string_view group = {});
  // Hands out the next messages of a queue, each to one consumer until it ends its lease.
  [[nodiscard]] Result<Acquired> acquire(AcquireOptions const& options = {});
  // Hands out this message, also before its date, parked, or on a paused queue.
  [[nodiscard]] Result<Acquired> acquire_message(std::uint64_t message, std::optional<DurationMs> lease = {},
                                                 std::string_view worker = {});
  // Renews a lease, and takes it over on a new connection. Returns when the lease is over.
  [[nodiscard]] Result<TimeMs> touch(QueueMessage const& message, std::optional<DurationMs> lease = {});
  // The message is dealt with: it leaves its queue.
  [[nodiscard]] Status accept(QueueMessage const& message);
  // Gives a message back to its place in the queue, as redelivered. With an error it is a failed delivery: after the
  // last one it is dead.
  [[nodiscard]] Result<ReturnedMessage> release(QueueMessage const& message, GiveBackOptions const& options = {});
  // The message can never be dealt with: it goes to the queue's dead letters at once, or is parked where there are
  // none.
  [[nodiscard]] Result<ReturnedMessage> reject(QueueMessage const& message, std::string_view error = {},
                                               std::string_view error_trace = {});
  // Puts a message aside: it stays on its queue, parked, until somebody kicks, moves or removes it. No failed delivery
  // is counted.
  [[nodiscard]] Result<ReturnedMessage> park(QueueMessage const& message, std::optional<std::uint64_t> priority = {},
                                             std::string_view error = {}, std::string_view error_trace = {});
  // How many messages of a queue, or of the table, are in a state, counted page by page.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view queue = {}, std::string_view status = {});
  // Shows one message, or a part of its body. unknown_row: there is no such message.
  [[nodiscard]] Result<QueueMessage> read(std::uint64_t message);
  // Shows the first message of a queue in a state, without taking it: the one that would be handed out, come to its
  // date, or be kicked next.
  [[nodiscard]] Result<std::vector<QueueMessage>> peek(std::string_view queue, std::string_view status = {});
  // Says in a sentence, and in parameters for programs, why a message is where it is.
  [[nodiscard]] Result<Reason> why(std::uint64_t message);
  // Shows the queues with what is on them, in the order of their names.
  [[nodiscard]] Result<std::vector<Queue>> queues();
  // Shows the exchanges, in the order of their names.
  [[nodiscard]] Result<std::vector<Exchange>> exchanges();
  // Shows the bindings by their number.
  [[nodiscard]] Result<std::vector<Binding>> bindings(std::string_view exchange = {}, std::string_view queue = {});
  // Makes a queue, or changes its options; or makes an exchange. What is absent stays as it is.
  [[nodiscard]] Result<Declared> declare(std::string_view queue, QueueOptions const& options = {});
  // Makes an exchange of this kind.
  [[nodiscard]] Result<Declared> declare_exchange(std::string_view exchange, ExchangeKind kind);
  // Removes a queue with its messages and bindings, or an exchange with its bindings. not_found, also if it was resent
  // after a loss and carried out before.
  [[nodiscard]] Status remove(std::string_view queue, bool if_empty = false);
  // Removes an exchange with its bindings.
  [[nodiscard]] Status remove_exchange(std::string_view exchange);
  // From now on the exchange routes to the queue what fits.
  [[nodiscard]] Result<Declared> bind(std::string_view exchange, std::string_view queue,
                                      BindOptions const& options = {});
  // Ends a binding; messages on the queue stay.
  [[nodiscard]] Status unbind(std::string_view exchange, std::string_view queue, std::string_view routing_key = {});
  // Drops messages of a queue that are not acquired. Returns how many.
  [[nodiscard]] Result<std::uint64_t> purge(std::string_view queue, ChangeOptions const& options = {});
  // Moves messages of a queue that are not acquired to another queue, in their order and with their attempts reset:
  // dead letters back to work; or parked ones of a queue back to its front. Without `to` each dead letter goes back to
  // the queue on which it died, in the order of their numbers; others stay. Returns how many. After `closed` call it
  // again: what was moved is no longer there.
  [[nodiscard]] Result<std::uint64_t> move(std::string_view queue, std::string_view to,
                                           ChangeOptions const& options = {});
  // Moves dead letters of a queue back to the queues on which they died, with their attempts reset. Returns how many.
  [[nodiscard]] Result<std::uint64_t> move_back(std::string_view queue, std::string_view status = {});
  // Puts a message back to work: a parked one, with its attempts reset; one that waits for its date; or one that a
  // consumer has, whose lease is taken back and who is refused from then on. Or so many of a queue: the parked ones;
  // those that wait for their date only if none is parked.
  [[nodiscard]] Status kick(std::uint64_t message, std::string_view status = {});
  // Puts messages of a queue back to work: the parked ones; those that wait for their date only if none is parked.
  // Returns how many.
  [[nodiscard]] Result<std::uint64_t> kick_queue(std::string_view queue, KickQueueOptions const& options = {});
  // Removes a message that no consumer has.
  [[nodiscard]] Status erase(std::uint64_t message);
  // Nothing of a queue is handed out any more; leases go on, messages are taken. A queue that is paused already gets
  // the new date; one that its first use makes is made. Returns changed or unchanged.
  [[nodiscard]] Result<std::string> pause(std::string_view queue, std::optional<Date> until = {},
                                          std::string_view reason = {});
  // Ends a PAUSE; who waits for messages is told. Returns changed or unchanged.
  [[nodiscard]] Result<std::string> resume(std::string_view queue);

  // For pipelining and transactions: what these calls send. Texts are borrowed.
  [[nodiscard]] Message send_of(std::string_view queue, std::string_view body, SendOptions const& options = {},
                                std::string_view group = {}, std::string_view deduplication = {}) const;
  [[nodiscard]] Message publish_of(std::string_view exchange, std::string_view routing_key, std::string_view body,
                                   SendOptions const& options = {}, std::string_view group = {}) const;
  [[nodiscard]] Message accept_of(QueueMessage const& message) const;
  [[nodiscard]] Message release_of(QueueMessage const& message, GiveBackOptions const& options = {}) const;
  [[nodiscard]] Message reject_of(QueueMessage const& message, std::string_view error = {},
                                  std::string_view error_trace = {}) const;
  [[nodiscard]] Message park_of(QueueMessage const& message, std::optional<std::uint64_t> priority = {},
                                std::string_view error = {}, std::string_view error_trace = {}) const;

 protected:
  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
