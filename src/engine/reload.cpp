#include "engine/reload.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace fastjournal::engine {
namespace {

Column const* column_of(Schema const& schema, std::string_view name) {
  auto const found = std::find_if(schema.columns.begin(), schema.columns.end(),
                                  [name](Column const& column) { return column.name == name; });
  return found == schema.columns.end() ? nullptr : &*found;
}

// ": column size added, column note dropped, column uri changed"
std::string describe_columns(Schema const& before, Schema const& after) {
  std::string out;
  auto const add = [&out](std::string const& name, char const* what) {
    out.append(out.empty() ? ": " : ", ").append("column ").append(name).append(what);
  };
  for (Column const& column : after.columns) {
    Column const* const old = column_of(before, column.name);
    if (old == nullptr) add(column.name, " added");
    if (old != nullptr && *old != column) add(column.name, " changed");
  }
  for (Column const& column : before.columns)
    if (column_of(after, column.name) == nullptr) add(column.name, " dropped");
  return out;
}

void describe_changes(HostedTable const& table, TableDeclaration const& next, std::vector<std::string>& changes) {
  // Its file is as it was.
  if (table.declaration.get() == &next) return;
  std::string const head = "table " + table.name + ": ";
  Schema const& latest = latest_schema(table);
  if (!same_schema(next.schema, latest))
    changes.push_back(head + "schema version " + std::to_string(latest.version + 1) + " for new rows" +
                      describe_columns(latest, next.schema));
  for (std::size_t i = 0; i < next.options.size() && i < table.declaration->options.size(); ++i) {
    OptionValue const& before = table.declaration->options[i];
    OptionValue const& after = next.options[i];
    if (before.text == after.text) continue;
    // Changes are shown to people and logged. A plan is too long.
    bool const is_hidden =
        after.name.ends_with("-secret") || table.type->declaration()->options[i].type == OptionType::plan;
    changes.push_back(head + after.name + (is_hidden ? " changed" : " " + before.text + " -> " + after.text));
  }
  if (next.aliases != table.declaration->aliases)
    changes.push_back(head + "aliases " + std::to_string(table.declaration->aliases.size()) + " -> " +
                      std::to_string(next.aliases.size()));
  if (next.feed != table.declaration->feed) {
    auto const where = [](std::optional<FeedDeclaration> const& feed) { return feed ? feed->address : "none"; };
    std::string const before = where(table.declaration->feed);
    std::string const after = where(next.feed);
    changes.push_back(head + (before == after ? "feed to " + after + " changed" : "feed " + before + " -> " + after));
  }
  if (next.wake_message != table.declaration->wake_message)
    changes.push_back(head + (next.wake_message ? "wake-message " + next.wake_message->command + " to service " +
                                                      next.wake_message->service
                                                : std::string{"no wake-message any more"}));
  if (next.description != table.declaration->description) changes.push_back(head + "another description");
  if (next.persistent && next.log != table.declaration->log && next.log != table.log->name)
    changes.push_back(head + "stays in log " + table.log->name + " until MOVE_TABLE brings it to log " + next.log);
}

}  // namespace

std::vector<HostedTable*> Reload::undeclared(Declarations const& next) const {
  std::set<std::string_view> names;
  for (Declaration const& declaration : next) names.emplace(declaration->name);
  std::vector<HostedTable*> out;
  for (auto const& table : tables_.all())
    if (!table->is_dropped() && table->log->is_ours && !names.contains(table->name)) out.push_back(table.get());
  return out;
}

Status Reload::check(Declarations const& next) const {
  std::string refusals;
  auto const refuse = [&refusals](std::string const& text) {
    refusals.append(refusals.empty() ? "" : "\n").append(text);
  };
  for (auto const& log : tables_.logs())
    if (!log->serves && log->is_ours) refuse(log->away.message() + "; reload when it is back");
  if (Status status = moving_.check_rest(); !status.ok()) refuse(status.message());
  if (Status status = branches_.check_tables(next); !status.ok()) refuse(status.message());
  if (Status status = two_phase_.check_tables(next); !status.ok()) refuse(status.message());
  for (Declaration const& declaration : next)
    if (Status status = configuration_.check(declaration); !status.ok()) refuse(status.message());
  for (HostedTable* const table : undeclared(next))
    if (std::uint64_t const rows = rows_of(*table); rows > 0)
      refuse("table " + in_quotes(table->name) + " is not declared any more but still has rows (" +
             std::to_string(rows) + "): put " + table->name + ".xml back, or finish or delete its rows first");
  return refusals.empty() ? Status{} : Status{Code::bad_configuration, refusals};
}

std::vector<std::string> Reload::preview(Declarations const& next) const {
  std::vector<std::string> changes;
  for (Declaration const& declaration : next) {
    HostedTable const* const table = tables_.find(declaration->name);
    if (table == nullptr)
      changes.push_back("table " + declaration->name + ": new");
    else
      describe_changes(*table, *declaration, changes);
  }
  for (HostedTable* const table : undeclared(next))
    changes.push_back("table " + table->name + ": dropped, as it is empty");
  // One line each, whatever an option's text contains.
  for (std::string& change : changes) std::replace(change.begin(), change.end(), '\n', ' ');
  return changes;
}

// A command that was promised under one declaration is not carried out under another.
void Reload::give_up_transactions(Declarations const& next, TimeMs now) {
  std::map<std::string_view, TableDeclaration const*> by_name;
  for (Declaration const& one : next) by_name.emplace(one->name, one.get());
  for (auto const& table : tables_.all()) {
    if (table->is_dropped()) continue;
    auto const found = by_name.find(table->name);
    std::vector<std::string> changes;
    if (found != by_name.end()) describe_changes(*table, *found->second, changes);
    if (found == by_name.end() || !changes.empty())
      transactions_.give_up(*table, now, "table " + table->name + " was changed by a RELOAD");
  }
}

Result<std::vector<std::string>> Reload::run(Declarations const& next, TimeMs now) {
  std::vector<std::string> changes = preview(next);
  give_up_transactions(next, now);
  for (Declaration const& declaration : next)
    if (Status status = configuration_.adopt(declaration, now); !status.ok()) return status;
  for (HostedTable* const table : undeclared(next))
    if (Status status = configuration_.drop(*table, now); !status.ok()) return status;
  tables_.forget_names();
  configuration_.declare(next);
  return changes;
}

}  // namespace fastjournal::engine
