#include "engine/configuration.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

namespace fastjournal::engine {

std::string in_quotes(std::string_view name) { return std::string(1, '"').append(name).append(1, '"'); }

bool declares(Declarations const& declarations, std::string_view name) {
  return std::ranges::any_of(declarations, [name](Declaration const& d) { return d->name == name; });
}

Declaration with_schema(Declaration const& declaration, Schema schema) {
  auto copy = std::make_shared<TableDeclaration>(*declaration);
  copy->schema = std::move(schema);
  return copy;
}

bool same_schema(Schema const& a, Schema const& b) { return a.columns == b.columns && a.key == b.key; }

Schema const& latest_schema(HostedTable const& table) {
  return table.log->catalogue.find(table.id)->schemas.rbegin()->second.schema;
}

Declaration Configuration::declared(std::string_view name) const {
  for (Declaration const& declaration : declarations_)
    if (declaration->name == name) return declaration;
  return nullptr;
}

Declarations Configuration::declared_in(std::string_view log) const {
  Declarations out;
  for (Declaration const& declaration : declarations_)
    if (declaration->persistent && declaration->log == log) out.push_back(declaration);
  return out;
}

Status Configuration::check_all_in(std::string_view log) const {
  for (Declaration const& declaration : declared_in(log))
    if (Status status = check(declaration); !status.ok()) return status;
  return {};
}

Status Configuration::check(Declaration const& declaration) const {
  if (!parts_.types.contains(declaration->type))
    return {Code::bad_configuration, declaration->at("table") + ": no table type " + in_quotes(declaration->type) +
                                         "; types are loaded at the start: install the plugin and start again"};
  if (declaration->persistent && parts_.tables.find_log(declaration->log) == nullptr)
    return {Code::bad_configuration, declaration->at("log") + ": no log " + in_quotes(declaration->log) +
                                         "; logs are declared in fastjournal.xml and opened at the start"};
  HostedTable const* const table = parts_.tables.find(declaration->name);
  if (table == nullptr) return {};
  if (table->declaration->persistent != declaration->persistent)
    return {Code::bad_configuration, declaration->at("table") + ": table " + in_quotes(declaration->name) +
                                         (declaration->persistent ? " is not persistent" : " is persistent") +
                                         ", and that cannot change while it exists: empty it, take its file away and "
                                         "RELOAD, then put the new one there"};
  if (table->type->name() != declaration->type)
    return {Code::bad_configuration, declaration->at("table") + ": table " + in_quotes(declaration->name) +
                                         " is of type " + in_quotes(table->type->name()) +
                                         ": that cannot change while it exists"};
  if (Status status = check_capabilities(*declaration, table->can); !status.ok()) return status;
  return table->table->check_change(*declaration);
}

Status Configuration::adopt(Declaration const& declaration, TimeMs now) {
  if (Status status = check(declaration); !status.ok()) return status;
  HostedTable* const table = parts_.tables.find(declaration->name);
  // It is where its rows are, until it is moved (Moving).
  HostedLog const* const log = table != nullptr ? table->log : parts_.tables.find_log(declaration->log);
  if (declaration->persistent && log != nullptr && !log->is_ours) {
    if (table != nullptr) expect(*table, declaration);
    return {};
  }
  if (table != nullptr) return change(*table, declaration, now);
  if (!declaration->persistent)
    if (Status status = parts_.volatile_tables.host(now); !status.ok()) return status;
  return make(declaration, *parts_.tables.find_log(declaration->log), now);
}

Status Configuration::make(Declaration const& declaration, HostedLog& log, TimeMs now) {
  TableId const id = log.catalogue.next_id();
  Schema schema = declaration->schema;
  schema.version = 1;
  Status status = log_in_catalogue(parts_.alerting, log, now, schema.columns.size() * 1024, [&](Records& records) {
    log::Catalogue::append_table(records, {}, id, declaration->name, declaration->type);
    log::Catalogue::append_schema(records, {}, id, schema);
  });
  if (!status.ok()) return status;
  status = parts_.tables.make(log, id, *parts_.types.find(declaration->type)->second,
                              with_schema(declaration, std::move(schema)));
  if (!status.ok()) return status;
  HostedTable& made = *log.tables[id];
  if (made.feed != nullptr) made.feed->begin(log.log->end_lsn());
  // It may have something to do at once.
  parts_.due_tables.refresh(made);
  return {};
}

Status Configuration::change(HostedTable& table, Declaration const& declaration, TimeMs now) {
  Schema const& latest = latest_schema(table);
  Schema schema = declaration->schema;
  schema.version = latest.version;
  if (!same_schema(schema, latest)) {
    if (latest.version == UINT16_MAX)
      return {Code::over_limit, declaration->at("schema") + ": the schema of table " + in_quotes(table.name) +
                                    " changed 65535 times; make a new table"};
    schema.version = static_cast<std::uint16_t>(latest.version + 1);
    Status status =
        log_in_catalogue(parts_.alerting, *table.log, now, schema.columns.size() * 1024,
                         [&](Records& records) { log::Catalogue::append_schema(records, {}, table.id, schema); });
    if (!status.ok()) return status;
    if (table.can.columns != nullptr) table.can.columns->add_schema(schema);
    // A dropped column is unknown from here on, as in a table that never had it.
    table.name_columns(schema);
  }
  if (declaration->wake_message != table.declaration->wake_message)
    table.wakes = declaration->wake_message ? std::make_unique<work::WakeMessages>() : nullptr;
  table.declaration = with_schema(declaration, std::move(schema));
  table.table->change(table.declaration);
  change_feed(table);
  if (table.wakes != nullptr) table.wakes->look_again();  // the domains of the rows may have changed
  parts_.due_tables.refresh(table);
  return {};
}

// Of a table for which another node decides: that one's records change its schema.
void Configuration::expect(HostedTable& table, Declaration const& declaration) {
  table.declaration = with_schema(declaration, latest_schema(table));
  table.table->change(table.declaration);
  if (table.wakes == nullptr && declaration->wake_message) table.wakes = std::make_unique<work::WakeMessages>();
  if (!declaration->wake_message) table.wakes = nullptr;
}

// By its new declaration.
void Configuration::change_feed(HostedTable& table) {
  std::optional<FeedDeclaration> const& declared = table.declaration->feed;
  if (!declared) {
    std::erase(table.log->unsent_feeds, &table);
    table.feed.reset();
  } else if (table.feed != nullptr) {
    table.feed->keep(declared->keep_bytes);
  } else {
    table.feed = std::make_unique<feed::Feed>(declared->keep_bytes);
    table.feed->begin(table.log->log->end_lsn());
  }
}

Status Configuration::drop(HostedTable& table, TimeMs now) {
  ObjectId const object = table.log->catalogue.find(table.id)->object;
  std::vector<log::Alert> const alerts = Alerting::all_of(table);
  Status status = log_in_catalogue(parts_.alerting, *table.log, now, 64, [&](Records& records) {
    log::Catalogue::append_table_dropped(records, object, table.id);
  });
  if (!status.ok()) return status;
  parts_.alerting.forget(table, alerts);
  parts_.service.end(table.served(), {Code::unknown_table, "table " + table.name + " was dropped while this waited"});
  parts_.due_tables.forget(table);
  parts_.tables.drop(table);
  return {};
}

}  // namespace fastjournal::engine
