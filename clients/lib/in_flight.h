// The commands waiting for their answers, in the order of sending, and the rules for resending them. Apart from the
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
    caller,        // a caller has the ticket
    nobody,        // given up: the answer is dropped
    subscription,  // LISTEN after a reconnect: only a refusal matters
    login,         // AUTH on a new connection: connect_once waits for it
  };

  std::string command;
  CommandRule rule;
  std::string bytes;  // as sent; kept only if it may be resent
  Role role{Role::caller};
  bool may_resend{false};
  bool resent{false};
  bool finished{false};
  Milliseconds wait{0};  // requested from the daemon; such an answer may overtake others
  Moment until{};        // the time limit
  Reply reply;
  Status status;

  void finish(Status how) {
    status = std::move(how);
    finished = true;
  }
  // Adds one message of the answer; the last one finishes it.
  void add(Message message);
  // As new, but with the memory that it has.
  void reset();
};

// The key is the number in `request`, so the map is in the order of the commands.
using InFlightTable = std::map<std::uint64_t, InFlight>;

// The rule of a daemon's own command, or of one in `known`; for all others, a rule that assumes nothing.
[[nodiscard]] CommandRule rule_of(std::string_view command, std::span<CommandRule const> known);
// Whether resending it does no harm.
[[nodiscard]] bool may_resend(Message const& command, CommandRule const& rule);
// How long the command asks the daemon to wait.
[[nodiscard]] Milliseconds wait_of(Message const& command, CommandRule const& rule);
// ERROR, UNKNOWN and INVALID as a Status; ok for all other messages.
[[nodiscard]] Status refusal_of(Message const& answer);

}  // namespace fastjournal::client
