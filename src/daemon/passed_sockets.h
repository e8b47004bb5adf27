// Listening sockets that the supervisor opened and passed to this process (socket activation). By libsystemd, not by
// reading LISTEN_PID and LISTEN_FDS: who the variables are meant for has become more than a comparison of process ids
// in its newer versions, the library is on every system that passes sockets, and it costs a process one more mapping.
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
