// The connections that the daemon opens: to a communicatord, and to the service that receives alerts where that has an
// address of its own. Owned by the server. It knows which connection is which and keeps them up; what is said over them
// is service.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/env/network.h"
#include "base/env/notes.h"
#include "log/flag.h"
#include "server/communicator/outbound_link.h"

namespace fastjournal::communicator {

// Services that the daemon connects to. Addresses as env::Address; empty: none.
struct OutboundOptions {
  std::string communicator;
  std::string service{"fastjournal"};  // our name there
  // The service that receives alerts (FLAG), over the communicatord or at an address of its own.
  std::string alert_service{};
  std::string alert_address{};
  communicator::Origin origin{};
};

class OutboundLinks {
 public:
  OutboundLinks(env::Network& network, env::Notes& notes) : network_(network), notes_(notes) {}

  // Once, before the first tick.
  void join(OutboundOptions options);
  [[nodiscard]] OutboundOptions const& options() const { return options_; }

  // Opens and reopens what is due.
  void tick(std::int64_t now_us);
  // The next date at which tick has work; INT64_MAX: never.
  [[nodiscard]] std::int64_t next_us() const;
  // The communicatord is not called again.
  void give_up();

  // Null: it is not a connection that the daemon opened. Else it is open now.
  [[nodiscard]] OutboundLink const* opened(ConnectionId id);
  // It ended, or could not be opened. Others are ignored.
  void closed(ConnectionId id, std::string_view reason, std::int64_t now_us);
  void heard(ConnectionId id);

  [[nodiscard]] bool has_communicator() const { return communicator_ != nullptr; }
  // None: there is no connection to it now.
  [[nodiscard]] ConnectionId communicator() const { return id_of(communicator_.get()); }
  // The one over which alerts are sent.
  [[nodiscard]] ConnectionId alerts() const;

 private:
  [[nodiscard]] static ConnectionId id_of(OutboundLink const* link) {
    return link == nullptr ? ConnectionId::none : link->id();
  }
  [[nodiscard]] OutboundLink* find(ConnectionId id) const;

  env::Network& network_;
  env::Notes& notes_;
  OutboundOptions options_;
  std::unique_ptr<OutboundLink> communicator_;  // null: none is configured
  std::unique_ptr<OutboundLink> alert_peer_;
};

}  // namespace fastjournal::communicator
