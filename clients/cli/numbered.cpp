#include "clients/cli/numbered.h"

#include <algorithm>

#include "clients/lib/journal.h"

namespace fastjournal::cli {

bool has_no_room_for_name(Status const& status) {
  return status.code() == Code::over_limit && std::ranges::any_of(status.facts(), [](auto const& fact) {
           return fact.first == "parameter" && fact.second == "client";
         });
}

Result<client::Reply> call_numbered(client::Connection& connection, Message& command) {
  if (command.has("client") || command.has("sequence")) return connection.call(command);
  Message plain{command.command};
  for (Param const& param : command.params()) plain.set(param.name, param.value);
  command.set("client", command.arena().copy(client::Journal::drawn_name()));
  command.set_integer("sequence", 1);
  Result<client::Reply> reply = connection.call(command);
  return !reply.ok() && has_no_room_for_name(reply.status()) ? connection.call(plain) : std::move(reply);
}

}  // namespace fastjournal::cli
