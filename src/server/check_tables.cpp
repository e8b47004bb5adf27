#include "server/check_tables.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "server/admin/declarations.h"

namespace fastjournal::server {
namespace {

bool is_command(engine::TableTypes const& types, std::string_view name) {
  return std::ranges::find(admin::own_commands(), name, &admin::OwnCommand::name) != admin::own_commands().end() ||
         std::any_of(types.begin(), types.end(),
                     [&](auto const& type) { return type.second->find_command(name) != NameTable::kAbsent; });
}

// Made and dropped again: it has no rows.
template <typename Add>
void add_problems_of(engine::TableType const& type, engine::Declaration const& table, DeclaredLogs const* logs,
                     Add const& add) {
  auto const made = type.make({.id = TableId{1}}, table);
  if (!made.ok()) return add(made.status().message());
  bool const is_shared =
      logs != nullptr && table->persistent && std::ranges::find(logs->shared, table->log) != logs->shared.end();
  Stores const* const stores = made.value()->capabilities().stores;
  if (!is_shared || stores == nullptr) return;
  if (Status const status = stores->can_do_without(); !status.ok())
    add(table->at("table") + ": table " + engine::in_quotes(table->name) + " is in log " + table->log +
        ", which is shared with other nodes: " + status.message());
}

}  // namespace

Status check_tables(engine::TableTypes const& types, engine::Declarations const& tables, DeclaredLogs const* logs,
                    SoundTables const& sound) {
  std::string problems;
  auto const add = [&problems](std::string const& problem) {
    problems.append(problems.empty() ? "" : "\n").append(problem);
  };
  std::map<std::string_view, std::string_view> aliases;  // command -> table
  for (engine::Declaration const& table : tables) {
    if (logs != nullptr && table->persistent && std::ranges::find(logs->names, table->log) == logs->names.end())
      add(table->at("log") + ": no log " + engine::in_quotes(table->log) + " is declared in " + logs->file);
    if (auto const type = types.find(table->type); type != types.end() && !sound.contains(table))
      add_problems_of(*type->second, table, logs, add);
    for (AliasDeclaration const& alias : table->aliases) {
      std::string const where = table->at("alias " + alias.command) + ": the alias " + alias.command;
      if (is_command(types, alias.command)) add(where + " has the name of a command of the daemon: choose another");
      auto const [other, is_first] = aliases.emplace(alias.command, table->name);
      if (!is_first)
        add(where + " is one of table " + std::string{other->second} + " already: a message can go to one table only");
    }
  }
  return problems.empty() ? Status{} : Status{Code::bad_configuration, problems};
}

Status check_forget(engine::Declarations const& tables, std::span<std::string const> forget) {
  for (engine::Declaration const& table : tables) {
    if (!table->persistent || std::ranges::find(forget, table->name) == forget.end()) continue;
    return {Code::bad_configuration,
            table->at("table") + ": table " + engine::in_quotes(table->name) + " is declared, so --forget " +
                table->name +
                " would drop its rows at every start: take its file out of the tables folder first, or --forget out "
                "of the command line. Nothing was dropped"};
  }
  return {};
}

}  // namespace fastjournal::server
