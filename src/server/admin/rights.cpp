// RIGHTS: who the sender is, by which connection, and what it may do: on all tables, or on the one that it names.
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
Command make_rights() {
  return {[](Request const& request) -> Outcome {
    access::Permit const& permit = request.caller.permit;
    Rights rights = permit.rights;
    // Whether there is such a table is not told.
    Value const* const table = request.message.find("table");
    if (table != nullptr && permit.user != nullptr) rights = access::united(rights, permit.user->on(table->bytes));
    request.answer.message("RIGHTS");
    if (permit.user != nullptr) request.answer.add("user", std::string_view{permit.user->name});
    request.answer.add("rights", std::string_view{rights.names()});
    if (!permit.bound.empty()) request.answer.add("table", permit.bound);
    request.answer.add("connection", static_cast<std::uint64_t>(request.caller.connection));
    if (table == nullptr && permit.user != nullptr && permit.user->has_grants_for_tables())
      request.answer.add("grants", std::string_view{permit.user->grants_for_tables()});
    return {};
  }};
}

}  // namespace fastjournal::admin
