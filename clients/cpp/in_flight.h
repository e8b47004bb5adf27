// The commands waiting for their answers, in the order of sending, and the rules for resending them. Apart from the
// connection because it needs no socket.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "clients/cpp/client.h"
#include "clients/cpp/socket.h"

namespace fastjournal::client {

class Link;

struct InFlight {
  enum class Role : std::uint8_t {
    caller,        // a caller has the ticket
    nobody,        // given up: the answer is dropped
    subscription,  // LISTEN after a reconnect: only a refusal matters
    login,         // AUTH on a new connection: log_in waits for it
  };

  std::string command;
  std::string table;  // empty: of no table
  CommandRule rule;
  std::string bytes;  // as sent
  Role role{Role::caller};
  bool may_resend{false};      // after a loss: what was refused with `moved` always may
  bool in_transaction{false};  // nothing of it is sent twice
  bool resent{false};
  bool finished{false};
  Milliseconds wait{0};  // requested from the daemon; such an answer may overtake others
  Moment until{};        // the time limit
  // Where it was sent. Null, of an unfinished one: it waits to be sent.
  Link* link{nullptr};
  Moment sent_at{};    // there
  Moment due{};        // not before
  unsigned pauses{0};  // that were made before it was sent again
  Reply reply;
  // Of an unfinished one that waits: why it was not carried out so far.
  Status status;

  void finish(Status how) {
    status = std::move(how);
    finished = true;
  }
  // It waits to be sent, or sent again. `why`: see `status`.
  void hold(Status why, Moment moment) {
    link = nullptr;
    status = std::move(why);
    due = moment;
    reply.messages.clear();
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
// Of an answer or a push by which a daemon says that it does nothing for this table now: `moved`, or `unavailable` with
// the pause after which to try again (`retry`).
[[nodiscard]] bool is_moved(Message const& message);
[[nodiscard]] std::optional<Milliseconds> retry_of(Message const& message);
// ERROR, UNKNOWN and INVALID as a Status; ok for all other messages.
[[nodiscard]] Status refusal_of(Message const& answer);

}  // namespace fastjournal::client
