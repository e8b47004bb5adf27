// STOP, RESTART and LOG_ROTATE: what a communicatord tells all its services. It expects no answer; a person at the
// socket does.
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

void confirm(std::string_view answer, Request& request) {
  if (request.status.ok() && !request.caller.communicator) request.answer.message(answer);
}

class Stop final : public Command {
 public:
  explicit Stop(LifeCycle& process) : process_(process) {}
  void run(Request& request) override {
    process_.stop("the command STOP from " + std::string{request.caller.peer});
    confirm("STOPPING", request);
  }

 private:
  LifeCycle& process_;
};

class Restart final : public Command {
 public:
  explicit Restart(LifeCycle& process) : process_(process) {}
  void run(Request& request) override {
    process_.restart("the command RESTART from " + std::string{request.caller.peer});
    confirm("RESTARTING", request);
  }

 private:
  LifeCycle& process_;
};

class LogRotate final : public Command {
 public:
  explicit LogRotate(LifeCycle& process) : process_(process) {}
  void run(Request& request) override {
    request.status = process_.rotate_log();
    confirm("LOG_ROTATED", request);
  }

 private:
  LifeCycle& process_;
};

}  // namespace

CommandPtr make_stop(LifeCycle& process) { return std::make_unique<Stop>(process); }
CommandPtr make_restart(LifeCycle& process) { return std::make_unique<Restart>(process); }
CommandPtr make_log_rotate(LifeCycle& process) { return std::make_unique<LogRotate>(process); }

}  // namespace fastjournal::admin
