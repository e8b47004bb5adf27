// CLUSTER: the logs that this daemon shares with other nodes, who owns each, and which nodes there are. STEP_DOWN: this
// node gives a log to another one. MOVE_TABLE: a table goes to the log that its file names, or, if it is in doubt and in
// that log, stays there.
#include <algorithm>
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

void tell_shared(SharedLogs::One const& one, Answer& answer) {
  log::SharedLog const& log = one.log;
  log::Owner const owner = log.owner();
  answer.message("SHARED_LOG").add("log", std::string_view{log.name()});
  answer.add("standing", name_of(one.state)).add("this", std::string_view{log.node()});
  if (!owner.node.empty())
    answer.add("owner", std::string{owner.node}).add("address", std::string{owner.address}).add("token", owner.token);
  Lsn end{};
  for (log::Node const& node : log.nodes()) end = std::max(end, node.applied);
  if (!log.why().ok()) answer.add("why", std::string{log.why().message()});
  if (log.is_owned()) {
    log::LogUsage const usage = log.usage();
    answer.add("bytes", usage.disk_bytes).add("room", usage.room_bytes);
  }
  for (log::Node const& node : log.nodes()) {
    answer.message("NODE").add("log", std::string_view{log.name()});
    answer.add("node", std::string{node.name}).add("address", std::string{node.address});
    answer.add("role", Value::of_text(node.name == owner.node ? "owner" : "standby"));
    answer.add("behind", end.value - std::min(node.applied.value, end.value));
    if (!node.differs.empty()) answer.add("differs", std::string{node.differs});
  }
}

void tell_move(engine::Moving::Figures const& move, Answer& answer) {
  answer.message("MOVE_STATUS").add("table", std::string{move.table});
  answer.add("from", std::string{move.from}).add("to", std::string{move.to}).add("step", move.step);
  answer.add("copied", move.copied).add("bytes", move.total);
  if (move.pause_ms > 0) answer.add("pause", move.pause_ms);
  if (!move.why.ok()) answer.add("why", std::string{move.why.message()});
}

// The file of the table names the log that it is in: it stays there.
Outcome keep_in_doubt(engine::Engine& engine, engine::HostedTable& table, Request const& request) {
  Basis const basis = engine::basis_of(table.log);
  Status status = engine.moving().keep(table, request.now);
  if (status.ok())
    request.answer.message("KEPT").add("table", std::string{table.name}).add("log", std::string{table.log->name});
  return {std::move(status), basis};
}

}  // namespace

Command make_cluster(SharedLogs& logs, engine::Engine& engine) {
  return {[&](Request const& request) -> Outcome {
    logs.for_each_shared([&](SharedLogs::One const& one) { tell_shared(one, request.answer); });
    if (engine::Moving::Figures const& move = engine.moving().figures(); !move.table.empty())
      tell_move(move, request.answer);
    if (!request.answer.empty()) return {};
    return Status{Code::not_found, "this daemon shares no log with others: no <log engine=\"etcd\"/>"};
  }};
}

Command make_move(engine::Engine& engine) {
  Run begin = on_table(engine, [&engine](engine::HostedTable& table, Request const& request) -> Outcome {
    std::string const from = table.log->name;
    std::string const& to = table.declaration->log;
    engine::HostedLog* const log = engine.find_log(to);
    if (from == to || log == nullptr)
      return Status{Code::wrong_state, "table " + table.name + " is in log " + from +
                                           ", which its file names: write the other log there, and RELOAD"}
          .with("table", table.name);
    if (Status status = engine.moving().begin(table, *log, request.now); !status.ok()) return status;
    request.answer.message("MOVING").add("table", std::string{table.name});
    request.answer.add("from", std::string{from}).add("to", std::string{to});
    request.answer.add("bytes", engine.moving().figures().total);
    return {};
  });
  return {[&engine, begin = std::move(begin)](Request const& request) -> Outcome {
    engine::HostedTable* const table = engine.find_table(request.message.text("table"));
    bool const stays = table != nullptr && table->is_leaving && table->declaration->log == table->log->name;
    return stays ? keep_in_doubt(engine, *table, request) : begin(request);
  }};
}

Command make_step_down(SharedLogs& logs) {
  return {[&logs](Request const& request) -> Outcome {
    Value const* const name = request.message.find("log");
    if (name == nullptr)
      return Status{Code::missing_parameter, "STEP_DOWN needs the parameter log"}.with("parameter", "log");
    auto const for_ms = static_cast<std::int64_t>(request.number("for"));
    if (Status status = logs.step_down(name->bytes, DurationMs{for_ms}); !status.ok()) return status;
    request.answer.message("STEPPED_DOWN").add("log", std::string{name->bytes}).add("for", for_ms);
    return {};
  }};
}

}  // namespace fastjournal::admin
