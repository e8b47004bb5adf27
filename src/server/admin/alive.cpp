// ALIVE: every service of a communicatord answers it, with what the sender wants repeated.
#include "fastjournal/limits.h"
#include "server/admin/commands.h"
#include "wire/names.h"

namespace fastjournal::admin {
namespace {

class Alive final : public Command {
 public:
  void run(Request& request) override {
    request.answer.message("ABSOLUTELY").add("reply_timestamp", request.now.value / 1000);
    for (std::string_view const name : {"serial", "timestamp"}) {
      Value const* const value = request.message.find(name);
      if (value == nullptr) continue;
      request.status = protocol::check_echo(name, *value, kEchoBytesMax);
      if (!request.status.ok()) return request.answer.clear();
      request.answer.add(name, *value);
    }
  }
};

}  // namespace

CommandPtr make_alive() { return std::make_unique<Alive>(); }

}  // namespace fastjournal::admin
