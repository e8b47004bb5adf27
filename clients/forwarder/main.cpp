// fastjournal-client: reads its command line and runs the forwarder of a spool folder.
#include "clients/forwarder/service.h"
#include "os/event_log.h"

int main(int count, char** words) {
  using namespace fastjournal;
  forwarder::Service service{forwarder::parse_options(count, words)};
  if (Status status = service.prepare(); !status.ok()) {
    os::print_failure("fastjournal-client", status.message());
    return 1;
  }
  return service.serve();
}
