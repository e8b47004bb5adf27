// WATCH and UNWATCH: a connection wants the figures of STATS now and at intervals, or not any more.
#include <cstdint>
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
Command make_watch(engine::Engine& engine, Watching& watching) {
  Run begin = on_tables(engine, [&watching](engine::HostedTable const* table, Request const& request) -> Outcome {
    DurationMs const every{static_cast<std::int64_t>(request.number("every"))};
    if (Status status = watching.watch(request.caller.connection, table, every); !status.ok()) return status;
    request.answer.message("WATCHING");
    if (table != nullptr) request.answer.add("table", std::string_view{table->name});
    request.answer.add("every", every.value);
    return {};
  });
  // It tells of nothing yet: it rests on no log.
  return {[begin = std::move(begin)](Request const& request) -> Outcome { return std::move(begin(request).status); }};
}

Command make_unwatch(Watching& watching) {
  return {[&watching](Request const& request) -> Outcome {
    Status status = watching.unwatch(request.caller.connection);
    if (status.ok()) request.answer.message("UNWATCHED");
    return status;
  }};
}

}  // namespace fastjournal::admin
