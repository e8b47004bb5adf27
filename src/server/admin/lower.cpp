// LOWER: an operator ends an alert.
#include "server/admin/commands.h"

namespace fastjournal::admin {
Command make_lower(engine::Engine& engine) {
  return {on_tables(engine, [&engine](engine::HostedTable* table, Request const& request) -> Outcome {
    std::string_view const name = request.message.text("name");
    if (name.empty())
      return Status{Code::missing_parameter, "LOWER needs the parameter name; ALERTS tells it"}.with("parameter",
                                                                                                     "name");
    if (Status status = engine.alerting().lower_by_hand(table, name, request.now); !status.ok()) return status;
    request.answer.message("LOWERED").add("name", name);
    if (table != nullptr) request.answer.add("table", std::string_view{table->name});
    return {};
  })};
}

}  // namespace fastjournal::admin
