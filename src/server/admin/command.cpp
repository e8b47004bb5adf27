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

TableChoice choose_table(engine::Engine& engine, Request& request) {
  if (!request.message.has("table")) {
    request.basis.all = true;
    return {.is_valid = true};
  }
  engine::HostedTable* const table = find_table(engine, request.message, request.status, request.basis);
  return {.is_valid = table != nullptr, .table = table};
}

}  // namespace fastjournal::admin
