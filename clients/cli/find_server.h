// Finds the default daemon.
#pragma once

#include <string>

namespace fastjournal::cli {

// The administrator's socket of the daemon installed or built with this program, if a daemon listens there and we may
// connect: it gives every right. Otherwise the daemons' default port. The only test is to connect: the socket's file
// may exist without a daemon, or without permission for us.
[[nodiscard]] std::string find_server();

}  // namespace fastjournal::cli
