// Single changes are numbered under a drawn name (doc/protocol.md, client and sequence): one whose answer was lost is sent
// again by the library, and counts once.
#pragma once

#include "clients/lib/client.h"
#include "clients/lib/key_value.h"

namespace fastjournal::cli {

// The table has no room for one more name. Nothing was done.
[[nodiscard]] bool has_no_room_for_name(Status const& status);

// As Connection::call. A command that has a `client` keeps it; where there is no room for the drawn name it is sent without.
[[nodiscard]] Result<client::Reply> call_numbered(client::Connection& connection, Message& command);

// The same for a call of KeyValue, whose changes are numbered.
template <typename Call>
[[nodiscard]] auto numbered(client::KeyValue& table, Call const& call) {
  auto out = call();
  if (out.ok() || !has_no_room_for_name(out.status())) return out;
  table.number_changes(std::string{});
  return call();
}

}  // namespace fastjournal::cli
