// Messages between a communicatord and its services that get no answer: STATUS and QUITTING of the communicatord,
// and words that are only accepted.
#include "server/admin/commands.h"

namespace fastjournal::admin {
Command make_status(communicator::Service& service) {
  return {[&service](Request const& request) -> Outcome {
    if (request.caller.communicator) service.note_status(request.message, request.now);
    return {};
  }};
}

Command make_quitting(communicator::Service& service) {
  return {[&service](Request const& request) -> Outcome {
    if (request.caller.communicator) service.peer_quits();
    return {};
  }};
}

Command make_ignored() {
  return {[](Request const&) { return Outcome{}; }};
}

}  // namespace fastjournal::admin
