// DIGEST: a sum of a table's contents, or of each log's, for comparisons with a follower, a copy, or `log verify`.
// Everything is synced before it is sent, leases included, as for FETCH. It reads whole tables, and so needs the right
// admin. With stale=1 a node tells what it has followed so far of the logs that others decide for.
#include "engine/digest.h"
#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

// The same digest as that of `log verify`.
void tell_logs(engine::Engine const& engine, Answer& answer, bool stale) {
  for (auto const& log : engine.logs()) {
    bool const is_stale = stale && !log->is_ours && log->is_caught_up;
    if (!log->keeps || (!log->serves && !is_stale)) continue;
    log->log->want_sync();
    answer.message("DIGEST").add("log", std::string_view{log->name}).add("lsn", log->log->end_lsn().value);
    answer.add("digest", std::string_view{engine::digest_text(engine::digest_of(*log))});
  }
}

void tell_digest(engine::HostedTable const& table, Answer& answer) {
  table.log->log->want_sync();
  answer.message("DIGEST").add("table", std::string_view{table.name}).add("lsn", table.log->log->end_lsn().value);
  answer.add("digest", std::string_view{engine::digest_text(engine::digest_of(*table.table, table.name))});
}

}  // namespace

Command make_digest(engine::Engine& engine) {
  Run tell = on_tables(engine, [&engine](engine::HostedTable const* table, Request const& request) -> Outcome {
    if (table == nullptr)
      tell_logs(engine, request.answer, may_be_stale(request.message));
    else
      tell_digest(*table, request.answer);
    return {};
  });
  return {[&engine, tell = std::move(tell)](Request const& request) -> Outcome {
    bool const serves = find_table(engine, request.message) != nullptr;
    engine::HostedTable const* const stale = serves ? nullptr : find_stale(engine, request.message);
    if (stale == nullptr) return tell(request);
    tell_digest(*stale, request.answer);
    return {};
  }};
}

}  // namespace fastjournal::admin
