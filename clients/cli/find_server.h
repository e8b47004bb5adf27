// Which daemon is meant where nobody names one.
#pragma once

#include <string>

namespace fastjournal::cli {

// The administrator's socket of the daemon that was installed or built with this program, where somebody listens there
// and we may connect: it gives every right. Else the port that daemons have by default. Connecting is the only test:
// the socket's file may be there without a daemon, or without permission for us.
[[nodiscard]] std::string find_server();

}  // namespace fastjournal::cli
