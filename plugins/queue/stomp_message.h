// Messages in STOMP and in the table: destinations, the headers of SEND and MESSAGE, priorities. doc/stomp.md has
// the rules.
//
//   SEND     headers of STOMP's own become parameters of the command; all others travel as `properties`
//   MESSAGE  parameters of the message become headers; `properties` come back as they were sent
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"
#include "plugins/queue/stomp_frame.h"

namespace fastjournal::queue::stomp {

// The exchange of all destinations /topic/...; of kind topic.
inline constexpr std::string_view kTopicExchange = "topic";

struct Destination {
  enum class Kind : std::uint8_t {
    queue,      // /queue/NAME, /amq/queue/NAME
    temporary,  // /temp-queue/NAME: a queue of this connection
    topic,      // /topic/ROUTING.KEY
    exchange,   // /exchange/NAME[/ROUTING_KEY]
  };
  Kind kind{Kind::queue};
  std::string_view name{};         // of the queue or the exchange
  std::string_view routing_key{};  // empty: none
};
// bad_parameter: it is none of these.
[[nodiscard]] Result<Destination> read_destination(std::string_view text);

// STOMP: 0 to 9, the largest first, 4 if absent. Table: 0 to 255, the smallest first, 100 if absent.
[[nodiscard]] std::int64_t priority_of(std::int64_t stomp);
[[nodiscard]] std::int64_t stomp_priority_of(std::int64_t table);

// The whole number in a header; `absent` if there is none. bad_parameter: it is none, or outside of [min, max].
[[nodiscard]] Result<std::int64_t> read_number(Frame const& frame, std::string_view name, std::int64_t absent,
                                               std::int64_t min, std::int64_t max);

// Sets the parameters of SEND beside its destination; texts are copied to the message's arena, the body is borrowed.
// `reply_to`: in place of the header of this name. Errors: bad_parameter.
[[nodiscard]] Status set_send(Frame const& frame, std::optional<std::string_view> reply_to, Message& message);

// not_supported: a header of SUBSCRIBE asks for what brokers do and this table does not. A client that relies on it
// must not get a RECEIPT.
[[nodiscard]] Status check_subscribe(Frame const& frame);

// A MESSAGE of the table, as it was pushed.
struct Shown {
  explicit Shown(Outgoing const& from);

  std::uint64_t message{0};
  std::uint64_t epoch{0};
  std::string_view queue{};
  std::string_view exchange{};
  std::string_view routing_key{};
  std::string_view properties{};
  std::string_view body{};
  std::string_view dead_of{};
  std::string_view error{};
  std::optional<std::int64_t> priority{};
  std::optional<std::int64_t> sent_date{};
  std::int64_t expiration_date{0};
  std::int64_t deliveries{0};
  bool is_redelivered{false};
};
// The headers of MESSAGE behind those of its subscription. Their texts are in `texts`, or those of `from`.
void append_headers(Shown const& from, Arena& texts, std::vector<Header>& headers);

}  // namespace fastjournal::queue::stomp
