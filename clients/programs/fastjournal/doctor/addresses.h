// The addresses at which an installation's daemon is, as its configuration file names them: for `doctor`, and for every
// command that names no daemon.
#pragma once

#include <string>
#include <vector>

#include "config/daemon_declaration.h"

namespace fastjournal::doctor {

// Of listeners that speak messages.
struct Addresses {
  std::vector<std::string> sockets{};  // "unix:PATH"; the administrator's first
  // Of this computer, without TLS. They are for those who may not open a socket: while a daemon is stopped, another may
  // be at its port, but none at its socket.
  std::vector<std::string> ports{};
};
[[nodiscard]] Addresses addresses_of(config::DaemonDeclaration const& daemon);

// Whether the socket, or a folder above it, is not for us: its daemon may be there. False for other addresses.
[[nodiscard]] bool is_closed_to_us(std::string const& address);

// Why what listens at this port of this computer may not be the daemon of a socket that is closed to us: it is of
// another user. Root is none, as systemd opens sockets. Empty: it is of the socket's user.
[[nodiscard]] std::string stranger_at(std::string const& port, std::string const& socket);

}  // namespace fastjournal::doctor
