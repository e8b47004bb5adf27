#include "daemon/passed_sockets.h"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <cstdlib>
#include <cstring>

namespace fastjournal::daemon {

Result<std::vector<PassedSocket>> take_passed_sockets() {
  char** names = nullptr;
  int const count = ::sd_listen_fds_with_names(1, &names);
  if (count < 0)
    return Status{Code::bad_configuration,
                  fmt::format("sockets passed by the supervisor: {}; expected LISTEN_FDS and LISTEN_PID as in "
                              "sd_listen_fds(3), or neither",
                              std::strerror(-count))};
  std::vector<PassedSocket> out;
  for (int i = 0; i < count; ++i) {
    bool const has_name = names != nullptr && names[i] != nullptr;
    out.push_back({SD_LISTEN_FDS_START + i, has_name ? names[i] : "unknown"});
    if (has_name) std::free(names[i]);
  }
  std::free(static_cast<void*>(names));
  return out;
}

}  // namespace fastjournal::daemon
