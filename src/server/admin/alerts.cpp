// ALERTS: the current alerts.
#include "server/admin/commands.h"
#include "server/admin/figures.h"

namespace fastjournal::admin {
namespace {

void tell(log::Alert const& alert, Answer& answer) {
  answer.message("ALERT");
  if (!alert.table.empty()) answer.add("table", std::string_view{alert.table});
  answer.add("name", std::string_view{alert.name}).add("priority", std::uint64_t{alert.priority});
  answer.add("message", std::string_view{alert.message}).add("tags", std::string_view{alert.tags});
  answer.add("count", alert.count).add("first", alert.first.value).add("last", alert.last.value);
  answer.add("manual_down", std::uint64_t{alert.manual});
}

}  // namespace

Command make_alerts(engine::Engine& engine) {
  return {on_tables(engine, [&engine](engine::HostedTable const* table, Request const& request) -> Outcome {
    for_alerts(engine, request.caller.permit, table, [&](log::Alert const& alert) { tell(alert, request.answer); });
    if (request.answer.empty()) request.answer.message("ALERTS").add("count", std::uint64_t{0});
    return {};
  })};
}

}  // namespace fastjournal::admin
