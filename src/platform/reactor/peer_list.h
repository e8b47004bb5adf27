// Which local users may come by a listener (env::ListenOptions::users and groups). Apart from the sockets because the
// decision is the same for connections and datagrams, and can be looked at without either.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "platform/reactor/loop.h"

namespace fastjournal::reactor {

struct PeerList {
  std::vector<std::uint32_t> users;
  std::vector<std::uint32_t> groups;

  [[nodiscard]] bool is_for_everybody() const { return users.empty() && groups.empty(); }
  // Root and `own`, the user of this process, always may: they could replace the socket's file as well.
  [[nodiscard]] bool admits(std::uint32_t user, std::span<std::uint32_t const> groups_of_user, std::uint32_t own) const;

  // Whether the peer of a connection over a unix socket may come, by its user and groups when it connected. Nobody may
  // whose user the kernel does not tell.
  [[nodiscard]] bool admits_peer_of(int socket) const;
  // Whether the sender of a datagram may come: of its groups the kernel tells only the first.
  [[nodiscard]] bool admits_sender(ucred const& sender) const;
};

// Counts those who may not come, and warns of them.
class NotAllowed {
 public:
  explicit NotAllowed(Loop& loop) : loop_(loop) {}
  void count(std::string_view peer, std::string_view address);

 private:
  Loop& loop_;
  RareWarning warning_;
};

}  // namespace fastjournal::reactor
