#include "server/admin/command.h"

namespace fastjournal::admin {

Status why_no_table(engine::Engine& engine, Message const& message) {
  Value const* const name = message.find("table");
  if (name == nullptr)
    return Status{Code::missing_parameter, std::string{message.command} + " needs the parameter table"}.with(
        "parameter", "table");
  if (engine::HostedTable const* const table = engine.find_table(name->bytes)) return engine::away(*table);
  // Its log has not come so far.
  if (engine::HostedLog const* const log = engine.log_of_declared(name->bytes); log != nullptr && !log->serves)
    return engine::away(*log, name->bytes);
  return {Code::unknown_table, "no table \"" + std::string{name->bytes.substr(0, 64)} + "\"; TABLES lists them"};
}

bool may_be_stale(Message const& message) { return message.integer("stale").value_or(0) == 1; }

engine::HostedTable* find_stale(engine::Engine& engine, Message const& message) {
  if (!may_be_stale(message)) return nullptr;
  engine::HostedTable* const table = engine.find_table(message.text("table"));
  bool const is_whole = table != nullptr && !table->is_leaving && table->log->is_caught_up;
  return is_whole && !table->log->is_ours ? table : nullptr;
}

Run on_table(engine::Engine& engine, RunOnTable run) {
  return [&engine, run = std::move(run)](Request const& request) -> Outcome {
    engine::HostedTable* const table = find_table(engine, request.message);
    if (table == nullptr) return why_no_table(engine, request.message);
    Basis const basis = engine::basis_of(table->log);
    Outcome outcome = run(*table, request);
    outcome.basis = basis;
    return outcome;
  };
}

Run on_tables(engine::Engine& engine, RunOnTables run) {
  auto on_one = on_table(
      engine, [run](engine::HostedTable& table, Request const& request) -> Outcome { return run(&table, request); });
  return [run = std::move(run), on_one = std::move(on_one)](Request const& request) -> Outcome {
    if (request.message.has("table")) return on_one(request);
    Outcome outcome = run(nullptr, request);
    outcome.basis.all = true;
    return outcome;
  };
}

}  // namespace fastjournal::admin
