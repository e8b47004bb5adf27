// fastjournal-client: reads its command line and runs the forwarder of a spool folder.
#include "clients/programs/forwarder/service.h"
#include "platform/os/event_log.h"
#include "platform/os/open_files.h"

int main(int count, char** words) {
  using namespace fastjournal;
  os::allow_most_open_files();
  forwarder::Service service{forwarder::parse_options(count, words)};
  if (Status status = service.prepare(); !status.ok()) {
    os::print_failure("fastjournal-client", status.message());
    return 1;
  }
  return service.serve();
}
