// The daemon as one service among others: it registers with a communicatord, sends alerts as FLAG and wakes as messages
// of another system, and tells apart the many services that speak over the one connection. Owned by the server, which
// has the connections' input and output.
//
// FLAG is repeated for all current alerts whenever the connection is made anew, since the receiver may have been
// restarted. The messages that are received are commands like any other, answered to their sender.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/notes.h"
#include "base/name_table.h"
#include "engine/engine.h"
#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/rights.h"
#include "log/alert_book.h"
#include "server/communicator/aliases.h"
#include "server/communicator/outbound_links.h"
#include "server/communicator/senders.h"

namespace fastjournal::communicator {

// Beside the commands of the life cycle, which a communicatord sends to all services.
inline constexpr Rights kCommunicatorRights{Right::add, Right::work};
// The service that receives alerts may ask for them.
inline constexpr Rights kAlertPeerRights{Right::read};

// The output of the connections that the daemon opened.
class LinkOutput {
 public:
  // False: the connection is not there, or its peer does not read. `after`: sent once this log is durable.
  virtual bool send(ConnectionId link, Outgoing const& message, log::Log const* after) = 0;
  // Messages to it from now on in this turn show the state of all logs.
  virtual void rest_on_all(ConnectionId link) = 0;

 protected:
  ~LinkOutput() = default;
};

class Service {
 public:
  struct Counters {
    std::uint64_t wake_messages{0};
    std::uint64_t wake_messages_dropped{0};  // not connected, too much unsent, or not possible in text
  };

  Service(OutboundLinks& links, LinkOutput& output, engine::Engine& engine, env::Notes& notes)
      : links_(links), output_(output), engine_(engine), notes_(notes) {}

  // A link was opened: says who we are, and what the peer may have missed.
  void opened(OutboundLink const& link);
  // The communicatord closes the connection soon: UNREGISTER would arrive too late.
  void peer_quits() { peer_quits_ = true; }
  // The connection to the communicatord ended, and with it those of all senders.
  void ended(TimeMs now) { end(senders_.leave_all(), now); }
  // The daemon ends.
  void leave();

  // STATUS of the communicatord: a service went down or came up.
  void note_status(Message const& message, TimeMs now);
  // The engine's number of the service that sent this; `message` names one. The connection that had to make room for it
  // ends.
  [[nodiscard]] ConnectionId sender_of(Message const& message, std::optional<ConnectionId>& left) {
    return senders_.of(message.from_server, message.from_service, left);
  }
  // The owner of its names; valid until the next call.
  [[nodiscard]] std::string_view origin_of(Message const& message);
  // Its connection in the network, also if it is no sender.
  [[nodiscard]] ConnectionId connection_of(ConnectionId id) const {
    return Senders::is_sender(id) && links_.has_communicator() ? links_.communicator() : id;
  }
  [[nodiscard]] std::vector<ConnectionId> senders() const { return senders_.all(); }

  void tell_alert(log::AlertNotice const& notice);
  // This topic has work that no worker takes (<wake-message>).
  void tell_wake(log::Log const& rests_on, WakeMessage const& wake, TypeDeclaration const& type,
                 std::string_view topic);

  [[nodiscard]] Counters const& counters() const { return counters_; }

 private:
  void tell_all_alerts();
  void end(std::vector<ConnectionId> const& senders, TimeMs now);

  OutboundLinks& links_;
  LinkOutput& output_;
  engine::Engine& engine_;
  env::Notes& notes_;
  Senders senders_;
  bool peer_quits_{false};
  std::string origin_;
  Counters counters_;
};

// Parameters added by a communicatord are dropped, unless the alias or the table has them. Either may be null.
void drop_transport_parameters(Message& message, Aliases::Alias const* alias, NameTable const* columns);

}  // namespace fastjournal::communicator
