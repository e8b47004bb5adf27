// What a communicatord and its services say to each other and nobody answers: STATUS and QUITTING of the communicatord,
// and words that are only accepted.
#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

class NeighbourStatus final : public Command {
 public:
  explicit NeighbourStatus(communicator::Service& service) : service_(service) {}
  void run(Request& request) override {
    if (request.caller.communicator) service_.note_status(request.message, request.now);
  }

 private:
  communicator::Service& service_;
};

class Quitting final : public Command {
 public:
  explicit Quitting(communicator::Service& service) : service_(service) {}
  void run(Request& request) override {
    if (request.caller.communicator) service_.peer_quits();
  }

 private:
  communicator::Service& service_;
};

class Ignored final : public Command {
 public:
  void run(Request&) override {}
};

}  // namespace

CommandPtr make_status(communicator::Service& service) { return std::make_unique<NeighbourStatus>(service); }
CommandPtr make_quitting(communicator::Service& service) { return std::make_unique<Quitting>(service); }
CommandPtr make_ignored() { return std::make_unique<Ignored>(); }

}  // namespace fastjournal::admin
