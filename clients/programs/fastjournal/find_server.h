// Finds the daemon of commands that name none.
#pragma once

#include <string>

#include "fastjournal/status.h"

namespace fastjournal::cli {

struct FoundServer {
  std::string address;
  // What named it, and what was tried before it, for people: "FILE names that address". Empty: nothing did, it is the
  // default of all clients.
  std::string origin;
};

// The daemon that was installed or built with this program: at its administrator's socket if that is there and we may
// open it, which gives every right; else at what its configuration names: sockets, and ports where no socket may be
// opened or none is declared; there, not at a program of another user than the socket's. There is no other: where an installation names an address, a daemon elsewhere has other
// rows. The only test is to connect: a socket's file may exist without a daemon. If none answers, the address that
// should. Without an installation or a build (no daemon beside this program) the default port. unavailable: the configuration names none that can be found so.
[[nodiscard]] Result<FoundServer> find_server();

}  // namespace fastjournal::cli
