// fastjournald: reads its command line and runs the daemon.
#include <fmt/format.h>

#include <cstdio>

#include "daemon/daemon.h"
#include "daemon/options.h"

int main(int count, char** words) {
  using namespace fastjournal;
  daemon::Options const options = daemon::parse_options(count, words);
  daemon::Daemon daemon{options};
  Status status = daemon.prepare();
  if (status.ok() && options.check) {
    fmt::print("configuration, plugins and tables are good\n");
    return 0;
  }
  if (status.ok()) status = daemon.serve();
  if (status.ok()) return 0;
  fmt::print(stderr, "fastjournald: {}\n", status.message());
  return 1;
}
