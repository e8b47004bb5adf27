// The commands that wait for their answers, in the order they were sent, and
// the knowledge of which of them may be sent a second time. Apart from the
// connection because it needs no socket.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "clients/lib/client.h"
#include "clients/lib/socket.h"

namespace fastjournal::client {

struct InFlight {
  enum class Role : std::uint8_t {
    caller,        // somebody holds the ticket
    nobody,        // was given up: the answer is dropped
    subscription,  // LISTEN after a reconnect: only a refusal is of interest
  };

  std::string command;
  CommandRule rule;
  std::string bytes;  // as sent; kept only for what may be sent again
  Role role{Role::caller};
  bool may_resend{false};
  bool resent{false};
  bool finished{false};
  Milliseconds wait{0};  // that it asked the daemon for: such an answer may overtake others
  Moment until{};        // the time limit
  Reply reply;
  Status status;

  void finish(Status how) {
    status = std::move(how);
    finished = true;
  }
  // One message of the answer; finishes with the last.
  void add(Message message);
};

// Keyed by the number that `request` carries, so in the order of the commands.
using InFlightTable = std::map<std::uint64_t, InFlight>;

// Of a command of the daemon itself, or of one that stands in `known`; of others nothing may be taken for granted.
[[nodiscard]] CommandRule rule_of(std::string_view command, std::span<CommandRule const> known);
// Sending it twice does no harm.
[[nodiscard]] bool may_resend(Message const& command, CommandRule const& rule);
// How long it asks the daemon to wait.
[[nodiscard]] Milliseconds wait_of(Message const& command, CommandRule const& rule);
// ERROR, UNKNOWN and INVALID as a Status; ok for every other message.
[[nodiscard]] Status refusal_of(Message const& answer);

}  // namespace fastjournal::client
