// Made by ./mk generate from plugins/queue/queue.xml: do not edit.
// clang-format off
// The parameters of each command of queue tables, and the options of a table. A reader takes from a command what it was
// given; false: a value is refused, and the decision says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/table.h"
#include "model/given.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/lease_times.h"
#include "plugins/rows/table_type.h"
#include "plugins/rows/timers.h"

namespace fastjournal::queue::made {

enum class BrowseStatus : std::uint8_t { waiting, due, behind, acquired, parked };
inline constexpr std::string_view kBrowseStatusWords[] = {"waiting", "due", "behind", "acquired", "parked"};
[[nodiscard]] constexpr std::string_view name_of(BrowseStatus one) {
  return kBrowseStatusWords[static_cast<std::size_t>(one)];
}
enum class PeekStatus : std::uint8_t { due, waiting, behind, parked };
inline constexpr std::string_view kPeekStatusWords[] = {"due", "waiting", "behind", "parked"};
[[nodiscard]] constexpr std::string_view name_of(PeekStatus one) {
  return kPeekStatusWords[static_cast<std::size_t>(one)];
}
enum class KindChoice : std::uint8_t { direct, fanout, topic };
inline constexpr std::string_view kKindChoiceWords[] = {"direct", "fanout", "topic"};
[[nodiscard]] constexpr std::string_view name_of(KindChoice one) {
  return kKindChoiceWords[static_cast<std::size_t>(one)];
}
enum class WhenFullChoice : std::uint8_t { refuse, drop };
inline constexpr std::string_view kWhenFullChoiceWords[] = {"refuse", "drop"};
[[nodiscard]] constexpr std::string_view name_of(WhenFullChoice one) {
  return kWhenFullChoiceWords[static_cast<std::size_t>(one)];
}
enum class PurgeStatus : std::uint8_t { waiting, parked };
inline constexpr std::string_view kPurgeStatusWords[] = {"waiting", "parked"};
[[nodiscard]] constexpr std::string_view name_of(PurgeStatus one) {
  return kPurgeStatusWords[static_cast<std::size_t>(one)];
}
enum class KickStatus : std::uint8_t { waiting, acquired, parked };
inline constexpr std::string_view kKickStatusWords[] = {"waiting", "acquired", "parked"};
[[nodiscard]] constexpr std::string_view name_of(KickStatus one) {
  return kKickStatusWords[static_cast<std::size_t>(one)];
}
enum class OrderChoice : std::uint8_t { date, number };

// SEND. Puts a message on a queue, or by an exchange on each queue that it routes to.
struct Send {
  model::Text queue{};  // the queue; or else exchange
  model::Text exchange{};  // the exchange that routes it
  model::Text routing_key{};  // what a direct or topic exchange routes by: words between dots
  Value const* body{nullptr};  // the message, as text
  Value const* body_binary{nullptr};  // or as bytes
  model::Text properties{};  // what goes with it: an object in JSON, which is given back as it came
  // the messages of one group on a queue are handed out one at a time, in the order of their numbers
  model::Text group{};
  std::uint32_t priority{100};  // the smallest is first; up to 255, unless the table says otherwise by priorities
  // how long its consumers may take unless they say otherwise; as the queue says if absent
  std::optional<std::int64_t> lease{};
  std::optional<std::int64_t> process_date{};  // not to be handed out before; now if absent
  std::optional<std::int64_t> expiration_date{};  // not to be handed out from then on; 0 or absent: as the queue says
  // 1: where expiration_date is past already it is dropped, and the answer says so; 0 or absent: refused then
  bool drop_expired{false};
  // 1: refused if the exchange routes it to no queue; 0: then it is dropped, and the answer says so. 1 for a direct
  // exchange if absent, else 0
  std::optional<bool> mandatory{};
  // with queue: a further message with the same text, sent to this queue within five minutes of the first one, is not
  // stored; the answer has the number of the first one
  model::Text deduplication{};
  model::Text client{};  // the producer's name for this start of it; with sequence: resent messages are there once
  std::optional<std::uint64_t> sequence{};  // the number of this message by this client

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// ACQUIRE. Hands out the next messages of a queue, each to one consumer until it ends its lease.
struct Acquire {
  model::Text queue{};  // the queue; of any by turns if absent
  // several of them, between blanks, 256 at most, in place of queue: the first message of all of them, by priority,
  // then in the order of one queue, without turns
  model::Text queues{};
  // this message alone, in place of queue: also before its date, which is now then, parked, or on a paused queue
  std::optional<std::uint64_t> message{};
  std::uint32_t count{1};  // how many messages at most
  std::int64_t lease{0};  // how long the consumer may take; if absent, as the message or its queue says
  std::int64_t wait{0};  // how long to wait for a message when there is none; needs request
  // where there is no message: not to wait on when a lease of this connection has less left than this; the answer has
  // lease_end then
  std::int64_t lease_margin{0};
  bool accept{false};  // 1: they are gone with the answer, without lease and ACCEPT: at most once
  bool places{false};  // 1: of bodies that are kept in files, their places, for a reader on the same computer

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// TOUCH. Renews a lease, and takes it over on a new connection.
struct Touch {
  std::uint64_t message{0};  // the message's number
  std::uint64_t epoch{0};  // the epoch of the lease
  std::int64_t lease{0};  // how long from now

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// ACCEPT. The message is dealt with: it leaves its queue.
struct Accept {
  std::uint64_t message{0};  // the message's number
  std::uint64_t epoch{0};  // the epoch of the lease

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// RELEASE. Gives a message back to its place in the queue, as redelivered. With an error it is a failed delivery: after
// the last one it is dead.
struct Release {
  std::uint64_t message{0};  // the message's number
  std::uint64_t epoch{0};  // the epoch of the lease
  // when it may be handed out again; if absent: at once, or after the back-off of a failed delivery
  std::optional<std::int64_t> process_date{};
  std::optional<std::uint32_t> priority{};  // its new priority, as in SEND; it keeps the old one if absent
  model::Text error{};  // what went wrong, for people. Makes it a failed delivery
  model::Text error_trace{};  // where it went wrong, as a traceback, for people. Makes it a failed delivery
  std::optional<bool> failed{};  // 1: a failed delivery, also without error; 0: none, also with one

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// REJECT. The message can never be dealt with: it goes to the queue's dead letters at once, or is parked where there
// are none.
struct Reject {
  std::uint64_t message{0};  // the message's number
  std::uint64_t epoch{0};  // the epoch of the lease
  model::Text error{};  // why, for people
  model::Text error_trace{};  // where it went wrong, as a traceback, for people

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// PARK. Puts a message aside: it stays on its queue, parked, until somebody kicks, moves or removes it. No failed
// delivery is counted.
struct Park {
  std::uint64_t message{0};  // the message's number
  std::uint64_t epoch{0};  // the epoch of the lease
  std::optional<std::uint32_t> priority{};  // its new priority, as in SEND; it keeps the old one if absent
  model::Text error{};  // why, for people
  model::Text error_trace{};  // where it went wrong, as a traceback, for people

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// BROWSE. Shows messages of a queue by their number, without taking them, a page at a time; the last message has
// `after` if there is more to look at.
struct Browse {
  model::Text queue{};  // of this queue only
  std::optional<BrowseStatus> status{};  // in this state only
  bool body{false};  // 1: with their bodies
  std::uint64_t after{0};  // go on behind this message, as the page before said
  std::uint32_t count{100};  // how many messages at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// COUNT. Counts the messages that BROWSE would show, a page at a time; the answer has `after` if there is more to look
// at.
struct Count {
  model::Text queue{};  // of this queue only
  std::optional<BrowseStatus> status{};  // in this state only
  std::uint64_t after{0};  // go on behind this message, as the answer before said
  std::uint32_t count{10'000};  // count so many messages at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// READ. Shows one message, or a part of its body.
struct Read {
  std::uint64_t message{0};  // the message's number
  std::uint64_t offset{0};  // from this byte of the body on
  std::optional<std::uint64_t> length{};  // so many bytes of it at most; with offset or length the body comes as bytes
  bool places{false};  // 1: of a body that is kept in a file, its place, for a reader on the same computer

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// PEEK. Shows the first message of a queue in a state, without taking it: the one that would be handed out, come to its
// date, or be kicked next.
struct Peek {
  std::string_view queue{};  // the queue
  std::optional<PeekStatus> status{};  // in this state; due if absent, also where the queue is paused

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// WHY. Says in a sentence, and in parameters for programs, why a message is where it is.
struct Why {
  std::uint64_t message{0};  // the message's number

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// DECLARE. Makes a queue, or changes its options; or makes an exchange. What is absent stays as it is.
struct Declare {
  model::Text queue{};  // the queue; or else exchange
  model::Text exchange{};  // the exchange
  // of an exchange: direct (routing keys that are equal), fanout (every queue) or topic (patterns)
  std::optional<KindChoice> kind{};
  std::optional<bool> temporary{};  // of a queue: 1, it ends with this connection
  // of a queue: the queue that gets what is rejected, or was delivered too often; empty: they are parked
  model::Text dead_letters{};
  // of a queue: a message that failed so often is dead; 0: as the option max-deliveries
  std::optional<std::uint8_t> max_deliveries{};
  std::optional<std::uint32_t> max_messages{};  // of a queue: so many messages at most; 0: no limit
  std::optional<std::uint64_t> max_bytes{};  // of a queue: so many bytes of bodies at most; 0: no limit
  // of a queue: refuse (SEND), or drop (the first messages, which are dead then)
  std::optional<WhenFullChoice> when_full{};
  // of a queue: how long consumers of its messages may take, unless message or ACQUIRE say otherwise; 0: as the option
  // processing-timeout
  std::optional<std::int64_t> lease{};
  // of a queue: its messages expire so long after they came, or after their process_date, in milliseconds; 0: never
  std::optional<std::int64_t> expires{};
  // of a queue: a message that is sent without process_date is handed out so long after it came, in milliseconds; 0: at
  // once
  std::optional<std::int64_t> delay{};
  // of a queue: a body has so many bytes at most; 0: as the option message-size-max
  std::optional<std::uint32_t> max_message_bytes{};
  // of a queue: what goes with it, one object in JSON, which QUEUES of this queue gives back as it came; empty: nothing
  model::Text properties{};

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// REMOVE. Removes a queue with its messages and bindings, or an exchange with its bindings.
struct Remove {
  model::Text queue{};  // the queue; or else exchange
  model::Text exchange{};  // the exchange
  bool if_empty{false};  // 1: only a queue without messages

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// BIND. From now on the exchange routes to the queue what fits.
struct Bind {
  std::string_view exchange{};  // the exchange
  std::string_view queue{};  // the queue
  // of a direct exchange the routing key; of a topic exchange a pattern, where * stands for a word and # for any number
  // of them
  model::Text routing_key{};
  bool declare{false};  // 1: the queue is made if there is none: a durable subscription
  bool temporary{false};  // 1: it is made, and ends with this connection: a subscription that does not last

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// UNBIND. Ends a binding; messages on the queue stay.
struct Unbind {
  std::string_view exchange{};  // the exchange
  std::string_view queue{};  // the queue
  model::Text routing_key{};  // as in BIND

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// PURGE. Drops messages of a queue that are not acquired, a page at a time.
struct Purge {
  std::string_view queue{};  // the queue
  std::optional<PurgeStatus> status{};  // in this state only; both if absent
  std::uint32_t count{1'000};  // how many messages at most
  bool dry_run{false};  // 1: counts them and changes nothing

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// MOVE. Moves messages of a queue that are not acquired to another queue, in their order and with their attempts reset,
// a page at a time: dead letters back to work; or parked ones of a queue back to its front. Without `to` each dead
// letter goes back to the queue on which it died, in the order of their numbers; others stay.
struct Move {
  std::string_view queue{};  // the queue that has them
  model::Text to{};  // the queue that gets them; the same one for parked messages; if absent, that on which each died
  std::optional<PurgeStatus> status{};  // in this state only; both if absent
  std::uint64_t after{0};  // without to: go on behind this message, as the answer before said
  std::uint32_t count{1'000};  // how many messages at most
  bool dry_run{false};  // 1: counts them and changes nothing

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// DELETE. Removes a message that no consumer has.
struct Delete {
  std::uint64_t message{0};  // the message's number

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// KICK. Puts a message back to work: a parked one, with its attempts reset; one that waits for its date; or one that a
// consumer has, whose lease is taken back and who is refused from then on. Or so many of a queue: the parked ones;
// those that wait for their date only if none is parked.
struct Kick {
  std::optional<std::uint64_t> message{};  // the message's number; or else queue
  std::optional<KickStatus> status{};  // of a message: only in this state
  model::Text queue{};  // the queue
  std::uint32_t count{1'000};  // of a queue: how many messages at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// PAUSE. Nothing of a queue is handed out any more; leases go on, messages are taken. A queue that is paused already
// gets the new date; one that its first use makes is made.
struct Pause {
  std::string_view queue{};  // the queue
  std::optional<std::int64_t> until{};  // when it goes on by itself; at RESUME only if absent
  model::Text reason{};  // why, for people

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// RESUME. Ends a PAUSE; who waits for messages is told.
struct Resume {
  std::string_view queue{};  // the queue

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// QUEUES. Shows the queues with what is on them, in the order of their names, a page at a time; the last message has
// `after` if there are more.
struct Queues {
  model::Text queue{};  // this one only
  model::Text after{};  // go on behind this queue, as the page before said
  std::uint32_t count{100};  // how many queues at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// EXCHANGES. Shows the exchanges, in the order of their names, a page at a time; the last message has `after` if there
// are more.
struct Exchanges {
  model::Text exchange{};  // this one only
  model::Text after{};  // go on behind this exchange, as the page before said
  std::uint32_t count{100};  // how many exchanges at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// BINDINGS. Shows the bindings by their number, a page at a time; the last message has `after` if there are more to
// look at.
struct Bindings {
  model::Text exchange{};  // of this exchange only
  model::Text queue{};  // of this queue only
  std::uint64_t after{0};  // go on behind this binding, as the page before said
  std::uint32_t count{100};  // how many bindings at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// The options of a table; durations are ms, sizes bytes.
struct Options {
  std::string queues{};  // names of queues that the table has, separated by blanks; they cannot be removed by command
  bool create_queues{false};  // a SEND or ACQUIRE that names a queue that is not there makes it
  // a queue that its first use made ends when it has been empty, and nobody named it, for so long; 0: it stays
  std::int64_t queues_idle{0};
  // bits of a priority, 8 or 32: 0 to 255, or 0 to 4294967295; what is beyond 255 takes 24 bytes of memory for a
  // message
  std::uint8_t priorities{8};
  // messages of one priority go by the date at which they may be handed out, or by their number alone
  OrderChoice order{OrderChoice::date};
  // counts how often a message was handed out, given back, parked, kicked and timed out; takes 24 bytes of memory for a
  // message that comes from then on
  bool message_counts{false};
  // a message whose deliveries failed or timed out so often is dead, unless its queue says otherwise; 0: never for that
  std::uint8_t max_deliveries{20};
  // queues and exchanges that the table has at most; bindings tenfold, and with the words of their patterns hundredfold
  std::uint32_t queues_max{10'000};
  std::uint32_t messages_max{0};  // messages that the table has at most; 0: no limit
  std::uint64_t message_size_max{67'108'864};  // bytes of a body, at most
  std::uint64_t memory_max{0};  // memory of its messages, queues, bindings and indexes, at most; 0: no limit of its own
  // a body of so many bytes or more is kept in a file, and fetched when it is handed out; 0: none, at least 16KiB
  std::uint64_t memory_per_message{262'144};
  // a queue with so many bytes of bodies keeps further ones of 16KiB and more in files; 0: no limit of its own
  std::uint64_t memory_per_queue{0};
  // how many clients' names and sequence numbers are remembered; one origin may have half of them
  std::uint32_t clients_max{100'000};
  rows::LeaseTimes times{};
  rows::Lifetimes lifetimes{};
  rows::AttemptRules attempts{};

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
};

}  // namespace fastjournal::queue::made
