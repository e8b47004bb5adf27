// How an engine gets its tables: by replay of the logs, then by the declarations of conf/, later by reloads.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/engine.h"
#include "core/engine_group.h"

namespace fastjournal::core {
namespace {

// A recovery may decide many records: they are written in pieces of this size.
constexpr std::uint64_t kWriteEveryBytes = 4U << 20U;

Declaration with_schema(Declaration const& declaration, Schema schema) {
  auto copy = std::make_shared<TableDeclaration>(*declaration);
  copy->schema = std::move(schema);
  return copy;
}

// Whether two schemas are equal except for their versions.
bool same_schema(Schema const& a, Schema const& b) { return a.columns == b.columns && a.key == b.key; }

bool declares(Declarations const& declarations, std::string_view name) {
  return std::any_of(declarations.begin(), declarations.end(),
                     [name](Declaration const& d) { return d->name == name; });
}

std::string quoted(std::string_view name) { return std::string(1, '"').append(name).append(1, '"'); }

}  // namespace

void Engine::declare(Declarations declarations, Declarations forget) {
  declarations_ = std::move(declarations);
  forget_ = std::move(forget);
}

HostedLog& Engine::add_log(std::string name) {
  logs_.push_back(std::make_unique<HostedLog>());
  logs_.back()->name = std::move(name);
  return *logs_.back();
}

HostedLog* Engine::find_log(std::string_view name) const {
  for (auto const& log : logs_)
    if (log->name == name) return log.get();
  return nullptr;
}

HostedLog& Engine::own_log() const {
  for (auto const& log : logs_)
    if (log->log != nullptr && log->log->is_local()) return *log;
  return *logs_.front();
}

Declaration Engine::declared(std::string_view name) const {
  for (Declaration const& declaration : declarations_)
    if (declaration->name == name) return declaration;
  return nullptr;
}

Status Engine::attach(HostedLog& hosted, Log& log) {
  hosted.log = &log;
  if (Status status = host_replayed(hosted); !status.ok()) return status;
  for (auto const& [id, table] : hosted.tables)
    if (table != nullptr && table->feed != nullptr) table->feed->begin(log.base_lsn());
  return {};
}

TimeMs Engine::last_now() const {
  TimeMs last{};
  for (auto const& log : logs_) last = std::max(last, log->catalogue.last_now());
  return last;
}

// ---------------------------------------------------------------------------
// Replay

namespace {

// The record may be from a newer program; anything else is damage.
Status cannot_apply(std::string const& whose, std::uint8_t known, RecordView const& record) {
  std::string const where =
      whose + ": record of type " + std::to_string(record.type) + " at LSN " + std::to_string(record.lsn.value);
  if (record.version <= known)
    return {Code::damaged, where + " does not fit what stands before it; the log is damaged"};
  return {Code::damaged, where + " has version " + std::to_string(record.version) + ", and this program knows " +
                             (known == 0 ? "no record of that type" : "versions up to " + std::to_string(known)) +
                             "; a newer fastjournal wrote it: start that one"};
}

}  // namespace

Status Engine::replay_catalogue(HostedLog& log, RecordView const& record) {
  if (log.catalogue.apply(record)) return {};
  return cannot_apply("log " + log.name + ", catalogue", Catalogue::newest_version(record.type), record);
}

Status Engine::replay(HostedLog& log, RecordView const& record, Lsn base) {
  if (Status status = host_replayed(log); !status.ok()) return status;
  ++log.records_replayed;
  if (record.table == TableId::catalogue) {
    HostedTable* const described = log.table_of_schema(record);
    if (described != nullptr && described->feed != nullptr) described->feed->note(record);
    // The rest of the catalogue was read before; the time goes with the records.
    return log.catalogue.apply_time(record) ? Status{} : replay_catalogue(log, record);
  }
  auto const found = log.tables.find(record.table);
  // A table that was dropped or is to be forgotten: its records stay until the base has passed them.
  if (found == log.tables.end() || found->second == nullptr) {
    log.catalogue.see(record.table);
    return {};
  }
  NoObserver nobody;
  HostedTable& hosted = *found->second;
  if (!hosted.table->apply(record, {.live = false, .now = {}, .base = base}, nobody)) {
    // It is to be dropped: only the count of its rows is lost.
    if (hosted.forgotten) {
      end_forgotten(hosted);
      return {};
    }
    return cannot_apply("log " + log.name + ", table " + quoted(hosted.name), hosted.table->newest_version(record.type),
                        record);
  }
  if (found->second->feed != nullptr) found->second->feed->note(record);
  return {};
}

// Once the whole catalogue is known, and before the first row.
Status Engine::host_replayed(HostedLog& log) {
  if (std::exchange(log.hosted, true)) return {};
  for (auto const& [id, entry] : log.catalogue.tables()) {
    if (entry.schemas.empty() || entry.name.empty())
      return {Code::damaged, "log " + log.name + ": table " + quoted(entry.name) + " (number " +
                                 std::to_string(static_cast<std::uint32_t>(id)) +
                                 ") stands in the catalogue without its name or its schema"};
    if (Status status = create_replayed(log, id, entry, entry.schemas.rbegin()->second.schema); !status.ok())
      return status;
    HostedTable* const table = log.tables[id];
    if (table == nullptr || table->can.columns == nullptr) continue;
    for (auto const& [version, schema] : entry.schemas) table->can.columns->add_schema(schema.schema);
  }
  return {};
}

Status Engine::create_replayed(HostedLog& log, TableId id, Catalogue::TableEntry const& entry, Schema const& schema) {
  auto const type = types_.find(entry.type);
  if (declares(forget_, entry.name)) {
    // Replayed like the others, with the defaults of its options, and dropped at the end: nothing else can count its
    // rows. What its type cannot read is dropped uncounted.
    log.tables[id] = nullptr;
    forgotten_.push_back({entry.name, log.name, std::nullopt});
    auto const as = std::find_if(forget_.begin(), forget_.end(), [&entry](Declaration const& one) {
      return one->name == entry.name && one->type == entry.type;
    });
    if (type == types_.end() || as == forget_.end()) return {};
    if (host(log, id, *type->second, with_schema(*as, schema)).ok()) log.tables[id]->forgotten = true;
    return {};
  }
  if (type == types_.end())
    return {Code::bad_configuration, "log " + log.name + " holds table " + quoted(entry.name) + " of type " +
                                         quoted(entry.type) + ", but no plugin of that type was found: install " +
                                         entry.type + ".so and " + entry.type + ".xml in the plugins folder"};
  Declaration const declaration = declared(entry.name);
  if (declaration == nullptr)
    return {Code::bad_configuration,
            "log " + log.name + " holds table " + quoted(entry.name) + ", but the tables folder has no " + entry.name +
                ".xml: put it back, or start with --forget " + entry.name + " to drop the table and its rows for good"};
  if (declaration->type != entry.type)
    return {Code::bad_configuration, declaration->at("table") + ": table " + quoted(entry.name) + " is declared as " +
                                         quoted(declaration->type) + ", but log " + log.name + " holds it as " +
                                         quoted(entry.type)};
  if (!declaration->persistent)
    return {Code::bad_configuration, declaration->at("table") + ": table " + quoted(entry.name) +
                                         " is declared persistent=\"no\", but log " + log.name +
                                         " holds it: take persistent=\"no\" out again, or start with --forget " +
                                         entry.name + " to drop the table and its rows for good"};
  if (declaration->log != log.name)
    return {Code::bad_configuration, declaration->at("log") + ": table " + quoted(entry.name) +
                                         " is declared for log " + quoted(declaration->log) +
                                         ", but its rows are in log " + quoted(log.name)};
  return host(log, id, *type->second, with_schema(declaration, schema));
}

Status Engine::host(HostedLog& log, TableId id, TableType const& type, Declaration declaration) {
  Result<std::unique_ptr<Table>> table = type.make({.id = id, .hash_seed = hash_seed_}, declaration);
  if (!table.ok()) return table.status();
  auto hosted = std::make_unique<HostedTable>();
  hosted->id = id;
  hosted->name = declaration->name;
  hosted->type = &type;
  for (std::size_t i = 0; i < declaration->schema.columns.size(); ++i)
    hosted->columns.add(declaration->schema.columns[i].name, static_cast<std::uint32_t>(i));
  if (declaration->feed) hosted->feed = std::make_unique<Feed>(declaration->feed->keep_bytes);
  if (declaration->wake_message) hosted->wakes = std::make_unique<WakeMessages>();
  hosted->declaration = std::move(declaration);
  hosted->take(std::move(table).value());
  hosted->log = &log;
  hosted->subscriptions.tell(replies_);
  if (free_tables_.empty()) {
    hosted->number = due_.add();
    FJ_CHECK(hosted->number == tables_.size(), "tables and dates are numbered alike");
    tables_.emplace_back();
  } else {
    hosted->number = free_tables_.back();
    free_tables_.pop_back();
  }
  by_name_.add(hosted->name, hosted->number);
  log.tables[id] = hosted.get();
  tables_[hosted->number] = std::move(hosted);
  return {};
}

// Once they are no longer in use. The leases and waits that connections have under the number do not concern the table
// that gets it next.
void Engine::free_dropped() {
  if (dropped_.empty() || !pending_alerts_.empty()) return;
  std::erase_if(dropped_, [this](std::uint32_t number) {
    if (tables_[number]->dirty) return false;
    free_tables_.push_back(number);
    return true;
  });
}

// Names that were dropped are removed too.
void Engine::name_tables() {
  by_name_ = {};
  for (auto const& table : tables_)
    if (table->table != nullptr) by_name_.add(table->name, table->number);
}

// ---------------------------------------------------------------------------
// The declarations of conf/

Status Engine::finish_recovery(TimeMs now) {
  now_ = now;
  if (!own_log().log->is_local())
    return {Code::bad_configuration, "no log is local: the daemon's own alerts need one that is"};
  if (Status status = drop_forgotten(now); !status.ok()) return status;
  for (Declaration const& declaration : declarations_)
    if (Status status = adopt(declaration, now); !status.ok()) return status;
  for (auto const& table : tables_) {
    if (table->table == nullptr) continue;
    Log& log = *table->log->log;
    Ending ending = table->can.holder == nullptr ? Ending::finished : Ending::more;
    while (ending == Ending::more) {
      ending = decide_by_itself(*table, now, kTimerStepsPerTurn, Durability::synced,
                                [&](Decision& d) { return table->can.holder->decide_recovered(d); });
      if (log.end_lsn().value - log.written_lsn().value < kWriteEveryBytes) continue;
      if (Status status = log.commit(); !status.ok()) return status;
      table->log->clock_in_batch = false;
    }
    if (ending == Ending::no_space)
      return {Code::no_space, "log " + table->log->name + " has no room to give the leases of table " +
                                  quoted(table->name) + " their grace: free disk space"};
    refresh(*table);
  }
  // A start begins a fresh container anyway.
  for (auto const& log : logs_) log->has_dead = false;
  return {};
}

void Engine::end_forgotten(HostedTable& table) {
  table.log->tables[table.id] = nullptr;
  table.table.reset();
}

Status Engine::drop_forgotten(TimeMs now) {
  for (Declaration const& declaration : forget_) {
    auto const is_it = [&declaration](Forgotten const& one) { return one.table == declaration->name; };
    if (std::any_of(forgotten_.begin(), forgotten_.end(), is_it)) continue;
    std::string names;
    for (auto const& log : logs_)
      for (auto const& [id, entry] : log->catalogue.tables())
        names.append(names.empty() ? "" : ", ").append(entry.name);
    return {Code::unknown_table, "--forget " + declaration->name + ": no log holds a table of this name; there " +
                                     (names.empty() ? "is none" : "are: " + names) + ". Nothing was dropped"};
  }
  for (auto const& log : logs_) {
    // A copy, because dropped tables are removed from the original.
    std::map<TableId, HostedTable*> const tables = log->tables;
    for (auto const& [id, table] : tables) {
      if (table != nullptr && !table->forgotten) continue;
      if (table != nullptr) {
        auto const counted = std::find_if(
            forgotten_.begin(), forgotten_.end(),
            [&log, &name = table->name](Forgotten const& one) { return one.table == name && one.log == log->name; });
        counted->rows = static_cast<std::uint64_t>(metric_of(*table, now, "rows"));
        if (Status status = drop(*table, now); !status.ok()) return status;
        continue;
      }
      ObjectId const object = log->catalogue.find(id)->object;
      TableId const gone = id;
      Status status = log_in_catalogue(
          *log, now, 64, [&](Records& records) { Catalogue::append_table_dropped(records, object, gone); });
      if (!status.ok()) return status;
      log->tables.erase(id);
    }
  }
  return {};
}

Status Engine::check_one(Declaration const& declaration) const {
  if (!types_.contains(declaration->type))
    return {Code::bad_configuration, declaration->at("table") + ": no table type " + quoted(declaration->type) +
                                         "; types are loaded at the start: install the plugin and start again"};
  if (declaration->persistent && find_log(declaration->log) == nullptr)
    return {Code::bad_configuration, declaration->at("log") + ": no log " + quoted(declaration->log) +
                                         "; logs are declared in fastjournal.xml and opened at the start"};
  HostedTable const* table = find(declaration->name);
  if (table == nullptr || table->table == nullptr) return {};
  if (table->declaration->persistent != declaration->persistent)
    return {Code::bad_configuration, declaration->at("table") + ": table " + quoted(declaration->name) +
                                         (declaration->persistent ? " is not persistent" : " is persistent") +
                                         ", and that cannot change while it exists: empty it, take its file away and "
                                         "RELOAD, then put the new one there"};
  if (table->type->name() != declaration->type || table->log->name != declaration->log)
    return {Code::bad_configuration, declaration->at(table->log->name != declaration->log ? "log" : "table") +
                                         ": table " + quoted(declaration->name) + " is of type " +
                                         quoted(table->type->name()) + " in log " + quoted(table->log->name) +
                                         ": neither can change while it exists"};
  if (Status status = check_capabilities(*declaration, table->can); !status.ok()) return status;
  return table->table->check_change(*declaration);
}

Status Engine::adopt(Declaration const& declaration, TimeMs now) {
  if (Status status = check_one(declaration); !status.ok()) return status;
  HostedTable* const table = find(declaration->name);
  if (table != nullptr && table->table != nullptr) return change(*table, declaration, now);
  if (!declaration->persistent && volatile_log_ == nullptr)
    if (Status status = host_volatile_log(now); !status.ok()) return status;
  return create_new(declaration, *find_log(declaration->log), now);
}

Status Engine::create_new(Declaration const& declaration, HostedLog& log, TimeMs now) {
  TableId const id = log.catalogue.next_id();
  Schema schema = declaration->schema;
  schema.version = 1;
  Status status = log_in_catalogue(log, now, schema.columns.size() * 1024, [&](Records& records) {
    Catalogue::append_table(records, {}, id, declaration->name, declaration->type);
    Catalogue::append_schema(records, {}, id, schema);
  });
  if (!status.ok()) return status;
  status = host(log, id, *types_.find(declaration->type)->second, with_schema(declaration, std::move(schema)));
  if (status.ok() && log.tables[id]->feed != nullptr) log.tables[id]->feed->begin(log.log->end_lsn());
  return status;
}

// After all others, since records of no table are in the first log.
Status Engine::host_volatile_log(TimeMs now) {
  Lsn first{kLsnAlign};  // none was ever given
  for (auto const& log : logs_) first = std::max(first, log->catalogue.numbers().below);
  Log const& kept = *own_log().log;
  volatile_log_ = std::make_unique<VolatileLog>(kept.start(), kept.store_id(), first);
  if (Status status = reserve_numbers(now); !status.ok()) {
    volatile_log_.reset();
    return status;
  }
  HostedLog& hosted = add_log(kVolatileLog);
  hosted.log = volatile_log_.get();
  hosted.hosted = true;
  hosted.keeps = false;
  return {};
}

Status Engine::reserve_numbers(TimeMs now) {
  HostedLog& kept = own_log();
  Lsn const below{volatile_log_->end_lsn().value + VolatileLog::kNumbersReserved};
  Status status = log_in_catalogue(kept, now, 64, [&](Records& records) {
    Catalogue::append_numbers(records, kept.catalogue.numbers().object, below);
  });
  if (status.ok()) volatile_log_->reserve_numbers(below);
  return status;
}

Schema const& Engine::latest_schema(HostedTable const& table) {
  return table.log->catalogue.find(table.id)->schemas.rbegin()->second.schema;
}

Status Engine::change(HostedTable& table, Declaration const& declaration, TimeMs now) {
  Schema const& latest = latest_schema(table);
  Schema schema = declaration->schema;
  schema.version = latest.version;
  if (!same_schema(schema, latest)) {
    if (latest.version == UINT16_MAX)
      return {Code::over_limit, declaration->at("schema") + ": the schema of table " + quoted(table.name) +
                                    " changed 65535 times; make a new table"};
    schema.version = static_cast<std::uint16_t>(latest.version + 1);
    Status status = log_in_catalogue(*table.log, now, schema.columns.size() * 1024, [&](Records& records) {
      Catalogue::append_schema(records, {}, table.id, schema);
    });
    if (!status.ok()) return status;
    if (table.can.columns != nullptr) table.can.columns->add_schema(schema);
    // A dropped column is unknown from here on, as in a table that never had it.
    table.columns = {};
    for (std::size_t i = 0; i < schema.columns.size(); ++i)
      table.columns.add(schema.columns[i].name, static_cast<std::uint32_t>(i));
  }
  if (declaration->wake_message != table.declaration->wake_message)
    table.wakes = declaration->wake_message ? std::make_unique<WakeMessages>() : nullptr;
  table.declaration = with_schema(declaration, std::move(schema));
  table.table->change(table.declaration);
  change_feed(table);
  if (table.wakes != nullptr) table.wakes->look_again();  // the domains of the rows may have changed
  refresh(table);
  return {};
}

// By its new declaration.
void Engine::change_feed(HostedTable& table) {
  std::optional<FeedDeclaration> const& declared = table.declaration->feed;
  if (!declared) {
    std::erase(table.log->unsent_feeds, &table);
    table.feed.reset();
  } else if (table.feed != nullptr) {
    table.feed->keep(declared->keep_bytes);
  } else {
    table.feed = std::make_unique<Feed>(declared->keep_bytes);
    table.feed->begin(table.log->log->end_lsn());
  }
}

Status Engine::drop(HostedTable& table, TimeMs now) {
  ObjectId const object = table.log->catalogue.find(table.id)->object;
  std::vector<Alert> const gone = alerts_of(table);
  Status status = log_in_catalogue(
      *table.log, now, 64, [&](Records& records) { Catalogue::append_table_dropped(records, object, table.id); });
  if (!status.ok()) return status;
  for (Alert const& alert : gone) notify(*table.log, false, &table, alert);
  std::erase(table.log->unsent_feeds, &table);
  table.feed.reset();
  table.log->tables.erase(table.id);
  end_waiting(table);
  table.table.reset();
  memory_bytes_ -= std::exchange(table.memory_bytes, 0);
  due_.set(table.number, TimeMs::max());
  if (table.log->with_rows == &table) table.log->with_rows = nullptr;
  dropped_.push_back(table.number);
  return {};
}

Status Engine::log_in_catalogue(HostedLog& log, TimeMs now, std::size_t bytes,
                                std::function<void(Records&)> const& append) {
  if (!log.serves) return {Code::unavailable, log.why_not};
  if (!log.log->reserve(bytes + kStepBytesMax + kGroupBytes, true))
    return {Code::no_space, "log " + log.name + " has no room for its catalogue: free disk space"};
  append_to_catalogue(log, append);
  close_group(log, now, Durability::synced);
  return {};
}

void Engine::append_to_catalogue(HostedLog& log, std::function<void(Records&)> const& append) {
  Group group;
  group.begin(log);
  append(group.catalogue());
  group.apply_step(now_);
}

// ---------------------------------------------------------------------------
// Reload

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

}  // namespace

Status Engine::check_reload(Declarations const& next) const {
  std::string refusals;
  auto const refuse = [&refusals](std::string const& text) {
    refusals.append(refusals.empty() ? "" : "\n").append(text);
  };
  for (auto const& log : logs_)
    if (!log->serves) refuse(log->why_not + "; reload when it is back");
  for (Declaration const& declaration : next)
    if (Status status = check_one(declaration); !status.ok()) refuse(status.message());
  for (auto const& table : tables_)
    if (table->table != nullptr && !declares(next, table->name) && !table->table->oldest_lsn().is_none())
      refuse("table " + quoted(table->name) + " is not declared any more but still has rows: put " + table->name +
             ".xml back, or finish or delete its rows first");
  return refusals.empty() ? Status{} : Status{Code::bad_configuration, refusals};
}

void Engine::describe_changes(HostedTable const& table, TableDeclaration const& next,
                              std::vector<std::string>& changes) const {
  std::string const head = "table " + table.name + ": ";
  Schema const& latest = latest_schema(table);
  if (!same_schema(next.schema, latest))
    changes.push_back(head + "schema version " + std::to_string(latest.version + 1) + " for new rows" +
                      describe_columns(latest, next.schema));
  for (std::size_t i = 0; i < next.options.size() && i < table.declaration->options.size(); ++i) {
    OptionValue const& before = table.declaration->options[i];
    OptionValue const& after = next.options[i];
    if (before.text != after.text) changes.push_back(head + after.name + " " + before.text + " -> " + after.text);
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
}

std::vector<std::string> Engine::preview_reload(Declarations const& next) const {
  std::vector<std::string> changes;
  for (Declaration const& declaration : next) {
    HostedTable const* const table = find(declaration->name);
    if (table == nullptr || table->table == nullptr)
      changes.push_back("table " + declaration->name + ": new");
    else
      describe_changes(*table, *declaration, changes);
  }
  for (auto const& table : tables_)
    if (table->table != nullptr && !declares(next, table->name))
      changes.push_back("table " + table->name + ": dropped, as it is empty");
  // One line each, whatever an option's text contains.
  for (std::string& change : changes) std::replace(change.begin(), change.end(), '\n', ' ');
  return changes;
}

Result<std::vector<std::string>> Engine::reload(Declarations const& next, TimeMs now) {
  std::vector<std::string> changes = preview_reload(next);
  for (Declaration const& declaration : next)
    if (Status status = adopt(declaration, now); !status.ok()) return status;
  for (auto const& table : tables_)
    if (table->table != nullptr && !declares(next, table->name))
      if (Status status = drop(*table, now); !status.ok()) return status;
  if (!dropped_.empty()) name_tables();
  declarations_ = next;
  return changes;
}

}  // namespace fastjournal::core
