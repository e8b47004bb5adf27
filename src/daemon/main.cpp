// fastjournald: reads its command line and runs the daemon.
#include <fmt/format.h>
#include <malloc.h>

#include "daemon/daemon.h"
#include "daemon/options.h"
#include "platform/os/event_log.h"
#include "platform/os/open_files.h"

int main(int count, char** words) {
  using namespace fastjournal;
  // <limits connections="..."/> bounds the connections.
  os::allow_most_open_files();
  // Returning a large heap to the kernel stops the loop for milliseconds, and the memory is soon needed again.
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  daemon::Options const options = daemon::parse_options(count, words);
  daemon::Daemon daemon{options};
  Status status = daemon.prepare();
  if (status.ok() && options.check) {
    fmt::print("configuration, plugins and tables are good\n");
    return 0;
  }
  if (status.ok() && !options.message_files.empty()) {
    status = daemon.write_message_files();
    if (status.ok()) return 0;
  }
  if (status.ok()) status = daemon.serve();
  if (status.ok()) return daemon.wants_restart() ? 3 : 0;
  daemon.ended_by(status);
  os::print_failure("fastjournald", status.message());
  return 1;
}
