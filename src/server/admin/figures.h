// The figures of the daemon and of its tables as STATS messages: STATS answers with them, WATCH sends them again and
// again. Both tell the same names and values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/access/permit.h"
#include "engine/engine.h"
#include "fastjournal/message.h"
#include "fastjournal/types.h"
#include "server/admin/commands.h"

namespace fastjournal::admin {

void tell_daemon(OwnFigures& own, TimeMs now, Answer& answer);
void tell_table(engine::HostedTable& table, TimeMs now, Answer& answer);

// The tables that are meant and may be read, by name: they may be gone when it is their turn.
[[nodiscard]] std::vector<std::string> names_of(engine::Engine& engine, engine::HostedTable const* one,
                                                access::Permit const& permit);
[[nodiscard]] inline std::uint64_t bytes_of(std::vector<std::string> const& names) {
  return names.capacity() * sizeof(std::string);
}

// Whether it exists, serves, and may be read.
[[nodiscard]] bool has_figures(engine::HostedTable const& table, access::Permit const& permit);

// Alerts that are up and may be read; `table`: of this table only.
template <typename Tell>
void for_alerts(engine::Engine& engine, access::Permit const& permit, engine::HostedTable const* table,
                Tell const& tell) {
  for (log::Alert const& alert : engine.alerting().all()) {
    bool const may_see = alert.table.empty() ? permit.has(Right::read) : permit.has_on(Right::read, alert.table);
    if (may_see && (table == nullptr || alert.table == table->name)) tell(alert);
  }
}

}  // namespace fastjournal::admin
