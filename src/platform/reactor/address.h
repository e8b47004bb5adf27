// Converts addresses between text ("127.0.0.1:4050", "[::1]:0", "unix:/run/fastjournal.sock") and the kernel's form.
// Numeric only: a name needs a query to a server, and the loop must not wait for one.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::reactor {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length{0};

  [[nodiscard]] int family() const { return storage.ss_family; }
  [[nodiscard]] sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&storage); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  // Of a unix socket; empty for the others.
  [[nodiscard]] std::string path() const;
};

// bad_parameter, with the expected form, for any other text.
[[nodiscard]] Result<SocketAddress> parse_address(std::string_view text);

// In the form that parse_address accepts.
[[nodiscard]] std::string to_text(SocketAddress const& address);

// The other end of a connection (env::Peer): its address, or process and user of a local peer.
struct PeerName {
  std::string text;
  std::string origin;
};
[[nodiscard]] PeerName peer_name(int fd, SocketAddress const& peer);
[[nodiscard]] PeerName peer_name(ucred const& local);

}  // namespace fastjournal::reactor
