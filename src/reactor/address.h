// Addresses between what people write ("127.0.0.1:4050", "[::1]:0",
// "unix:/run/fastjournal.sock") and what the kernel takes. Numbers only: a
// name would be a question to a server, and the loop does not wait for one.
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

// bad_parameter, with what was expected, for text that is no address.
[[nodiscard]] Result<SocketAddress> parse_address(std::string_view text);

// As parse_address reads it.
[[nodiscard]] std::string to_text(SocketAddress const& address);

// Who is at the other end (env::Peer): its address, or process and user of a local peer.
struct PeerName {
  std::string text;
  std::string origin;
};
[[nodiscard]] PeerName peer_name(int fd, SocketAddress const& peer);

}  // namespace fastjournal::reactor
