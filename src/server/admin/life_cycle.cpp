// STOP, RESTART and LOG_ROTATE: what a communicatord tells all its services. It expects no answer; an operator at the
// socket does.
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

Outcome confirm(std::string_view answer, Request const& request) {
  if (!request.caller.communicator) request.answer.message(answer);
  return {};
}

}  // namespace

Command make_stop(LifeCycle& process) {
  return {[&process](Request const& request) -> Outcome {
    process.stop("the command STOP from " + std::string{request.caller.peer});
    return confirm("STOPPING", request);
  }};
}

Command make_restart(LifeCycle& process) {
  return {[&process](Request const& request) -> Outcome {
    process.restart("the command RESTART from " + std::string{request.caller.peer});
    return confirm("RESTARTING", request);
  }};
}

Command make_log_rotate(LifeCycle& process) {
  return {[&process](Request const& request) -> Outcome {
    Status status = process.rotate_log();
    return status.ok() ? confirm("LOG_ROTATED", request) : Outcome{std::move(status)};
  }};
}

}  // namespace fastjournal::admin
