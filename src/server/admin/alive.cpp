// ALIVE: every service of a communicatord answers it, with what the sender wants repeated.
#include "fastjournal/limits.h"
#include "server/admin/commands.h"
#include "wire/names.h"

namespace fastjournal::admin {
Command make_alive() {
  return {[](Request const& request) -> Outcome {
    request.answer.message("ABSOLUTELY").add("reply_timestamp", request.now.value / 1000);
    for (std::string_view const name : {"serial", "timestamp"}) {
      Value const* const value = request.message.find(name);
      if (value == nullptr) continue;
      if (Status status = protocol::check_echo(name, *value, kEchoBytesMax); !status.ok()) {
        request.answer.clear();
        return status;
      }
      request.answer.add(name, *value);
    }
    return {};
  }};
}

}  // namespace fastjournal::admin
