// Listening sockets that the supervisor opened and passed to this process (socket activation): LISTEN_PID, LISTEN_FDS and
// LISTEN_FDNAMES as in sd_listen_fds(3). Not by libsystemd, which maps six more libraries for these lines.
#pragma once

#include <string>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::daemon {

struct PassedSocket {
  int descriptor{-1};
  std::string name;  // FileDescriptorName= of the unit, for messages
};

// Those passed to this process, once: its children get neither them nor the variables. Before any thread is started, as
// it changes the environment.
[[nodiscard]] Result<std::vector<PassedSocket>> take_passed_sockets();

}  // namespace fastjournal::daemon
