#include "engine/recovery.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fastjournal::engine {
namespace {

// A recovery may decide many records: they are written in pieces of this size.
constexpr std::uint64_t kWriteEveryBytes = 4U << 20U;
constexpr std::uint32_t kStepsTogether = 64;

// The record may be from a newer program; anything else is damage.
Status cannot_apply(std::string const& whose, std::uint8_t known, RecordView const& record) {
  std::string_view const name =
      record.table == TableId::catalogue ? log::Catalogue::name_of(record.type) : std::string_view{};
  std::string const where = whose + ": record of type " + std::to_string(record.type) +
                            (name.empty() ? std::string{} : " (" + std::string{name} + ")") + " at LSN " +
                            std::to_string(record.lsn.value);
  if (record.version <= known)
    return {Code::damaged, where + " does not fit what stands before it; the log is damaged"};
  return {Code::damaged, where + " has version " + std::to_string(record.version) + ", and this program knows " +
                             (known == 0 ? "no record of that type" : "versions up to " + std::to_string(known)) +
                             "; a newer fastjournal wrote it: start that one"};
}

// Places outside the log that records name are told in a replay too; other observers were told then.
class Replayed final : public NoObserver {
 public:
  explicit Replayed(Outside* outside) : outside_(outside) {}
  void stored(Extent const& extent, std::string_view carried) override {
    if (outside_ != nullptr) outside_->named(extent, carried);
  }
  void freed(Extent const& extent) override {
    if (outside_ != nullptr) outside_->freed(extent, kNoLsn);
  }

 private:
  Outside* outside_;
};

// Why the table of a log cannot be the one that is declared.
Status check_declared(HostedLog const& log, log::Catalogue::TableEntry const& entry, Declaration const& declaration) {
  if (declaration == nullptr)
    return {Code::bad_configuration, "log " + log.name + " holds table " + in_quotes(entry.name) +
                                         ", but the tables folder has no " + entry.name +
                                         ".xml: put it back, or start with --forget " + entry.name +
                                         " to drop the table and its rows for good"};
  if (declaration->type != entry.type)
    return {Code::bad_configuration, declaration->at("table") + ": table " + in_quotes(entry.name) +
                                         " is declared as " + in_quotes(declaration->type) + ", but log " + log.name +
                                         " holds it as " + in_quotes(entry.type)};
  if (!declaration->persistent)
    return {Code::bad_configuration, declaration->at("table") + ": table " + in_quotes(entry.name) +
                                         " is declared persistent=\"no\", but log " + log.name +
                                         " holds it: take persistent=\"no\" out again, or start with --forget " +
                                         entry.name + " to drop the table and its rows for good"};
  return {};
}

// Two tables of one name are what is left of a move that was interrupted, or a mistake.
Status check_alone(HostedLog const& log, log::Catalogue::TableEntry const& entry, HostedTable const* other) {
  if (other == nullptr || other->is_leaving || entry.move.leaves()) return {};
  return {Code::bad_configuration, "logs " + other->log->name + " and " + log.name + " both hold a table " +
                                       in_quotes(entry.name) +
                                       ", and neither came from the other: start without one of the logs"};
}

}  // namespace

// ---------------------------------------------------------------------------
// Replay

Status Recovery::replay_catalogue(HostedLog& log, RecordView const& record) {
  if (log.catalogue.apply(record)) return {};
  return cannot_apply("log " + log.name + ", catalogue", log::Catalogue::newest_version(record.type), record);
}

Status Recovery::replay(HostedLog& log, RecordView const& record, Lsn base) {
  if (Status status = host(log); !status.ok()) return status;
  ++log.records_replayed;
  if (record.table != TableId::catalogue) return replay_of_table(log, record, base);
  HostedTable* const described = log.table_of_schema(record);
  if (described != nullptr && described->feed != nullptr) described->feed->note(record);
  // The rest of the catalogue was read before; the time goes with the records.
  return log.catalogue.apply_time(record) ? Status{} : replay_catalogue(log, record);
}

Status Recovery::follow(HostedLog& log, RecordView const& record, Lsn base) {
  ++log.records_replayed;
  if (record.table != TableId::catalogue) return replay_of_table(log, record, base);
  // Read before, with the whole catalogue.
  if (record.lsn < log.catalogue_read_to)
    return log.catalogue.apply_time(record) ? Status{} : replay_catalogue(log, record);
  std::optional<TableId> const concerned = log::Catalogue::table_of(record);
  if (Status status = replay_catalogue(log, record); !status.ok()) return status;
  if (!concerned) return {};
  log::Catalogue::TableEntry const* const entry = log.catalogue.find(*concerned);
  auto const found = log.tables.find(*concerned);
  if (entry == nullptr) {
    if (found == log.tables.end()) return {};
    forget(*found->second);
    tables_.forget_names();
    return {};
  }
  // Its schema follows its name.
  if (entry->schemas.empty()) return {};
  Schema const& schema = entry->schemas.rbegin()->second.schema;
  if (found == log.tables.end()) {
    // It comes from another log, with records that were here before it was declared.
    if (!entry->move.begins.is_none()) {
      log.must_read_anew = true;
      return {};
    }
    return host_table(log, *concerned, *entry, schema);
  }
  HostedTable& table = *found->second;
  table.begins = entry->move.begins;
  if (std::exchange(table.is_leaving, entry->move.leaves()) != table.is_leaving) tables_.name_all();
  if (table.is_leaving) tables_.note_leaving(true);
  if (table.declaration->schema.version == schema.version) return {};
  if (table.can.columns != nullptr) table.can.columns->add_schema(schema);
  table.name_columns(schema);
  table.declaration = with_schema(table.declaration, schema);
  table.table->change(table.declaration);
  return {};
}

void Recovery::forget(HostedTable& table) {
  due_tables_.forget(table);
  tables_.drop(table);
}

Status Recovery::replay_of_table(HostedLog& log, RecordView const& record, Lsn base) {
  auto const found = log.tables.find(record.table);
  // A table that was dropped or is to be forgotten: its records stay until the base has passed them.
  if (found == log.tables.end() || found->second == nullptr) {
    log.catalogue.see(record.table);
    return {};
  }
  HostedTable& hosted = *found->second;
  Replayed observer{hosted.outside};
  ApplyContext const context{.live = false, .now = log.catalogue.last_now(), .base = std::max(base, hosted.begins)};
  if (!hosted.table->apply(record, context, observer)) {
    if (!hosted.forgotten)
      return cannot_apply("log " + log.name + ", table " + in_quotes(hosted.name),
                          hosted.table->newest_version(record.type), record);
    // It is to be dropped: only the count of its rows is lost.
    found->second = nullptr;
    hosted.table.reset();
    return {};
  }
  if (hosted.feed != nullptr) hosted.feed->note(record);
  return {};
}

Status Recovery::attach(HostedLog& hosted, log::Log& log) {
  hosted.log = &log;
  hosted.store_id = log.store_id();
  if (Status status = host(hosted); !status.ok()) return status;
  for (auto const& [id, table] : hosted.tables)
    if (table != nullptr && table->feed != nullptr) table->feed->begin(log.base_lsn());
  return {};
}

// ---------------------------------------------------------------------------
// The tables of a catalogue

Status Recovery::host(HostedLog& log) {
  if (std::exchange(log.hosted, true)) return {};
  for (auto const& [id, entry] : log.catalogue.tables()) {
    if (entry.schemas.empty() || entry.name.empty())
      return {Code::damaged, "log " + log.name + ": table " + in_quotes(entry.name) + " (number " +
                                 std::to_string(static_cast<std::uint32_t>(id)) +
                                 ") stands in the catalogue without its name or its schema"};
    if (Status status = host_table(log, id, entry, entry.schemas.rbegin()->second.schema); !status.ok()) return status;
    HostedTable* const table = log.tables[id];
    if (table == nullptr || table->can.columns == nullptr) continue;
    for (auto const& [version, schema] : entry.schemas) table->can.columns->add_schema(schema.schema);
  }
  return {};
}

Status Recovery::host_table(HostedLog& log, TableId id, log::Catalogue::TableEntry const& entry, Schema const& schema) {
  if (declares(forget_, entry.name)) {
    host_forgotten(log, id, entry, schema);
    return {};
  }
  auto const type = types_.find(entry.type);
  if (type == types_.end())
    return {Code::bad_configuration, "log " + log.name + " holds table " + in_quotes(entry.name) + " of type " +
                                         in_quotes(entry.type) + ", but no plugin of that type was found: install " +
                                         entry.type + ".so and " + entry.type + ".xml in the plugins folder"};
  Declaration const declaration = configuration_.declared(entry.name);
  if (Status status = check_declared(log, entry, declaration); !status.ok()) return status;
  if (Status status = check_alone(log, entry, tables_.find(entry.name)); !status.ok()) return status;
  return tables_.make(log, id, *type->second, with_schema(declaration, schema), entry.move);
}

// Replayed like the others, with the defaults of its options, and dropped at the end: nothing else can count its rows.
// Rows that its type cannot read are dropped uncounted.
void Recovery::host_forgotten(HostedLog& log, TableId id, log::Catalogue::TableEntry const& entry,
                              Schema const& schema) {
  log.tables[id] = nullptr;
  forgotten_.push_back({entry.name, log.name, std::nullopt});
  auto const type = types_.find(entry.type);
  auto const as = std::ranges::find_if(
      forget_, [&entry](Declaration const& one) { return one->name == entry.name && one->type == entry.type; });
  if (type == types_.end() || as == forget_.end()) return;
  if (tables_.make(log, id, *type->second, with_schema(*as, schema)).ok()) log.tables[id]->forgotten = true;
}

// ---------------------------------------------------------------------------
// The declarations of conf/

Status Recovery::finish(TimeMs now) {
  if (!tables_.own_log().log->is_local())
    return {Code::bad_configuration, "no log is local: the daemon's own alerts need one that is"};
  if (Status status = drop_forgotten(now); !status.ok()) return status;
  for (Declaration const& declaration : configuration_.declarations())
    if (Status status = configuration_.adopt(declaration, now); !status.ok()) return status;
  for (auto const& table : tables_.all())
    if (!table->is_dropped() && table->log->is_ours && !table->is_leaving)
      if (Status status = give_grace(*table, now); !status.ok()) return status;
  // A start begins a fresh segment anyway.
  for (auto const& log : tables_.logs()) log->has_dead = false;
  return {};
}

Status Recovery::adopt(HostedLog const& log, TimeMs now) {
  for (Declaration const& declaration : configuration_.declared_in(log.name))
    if (Status status = configuration_.adopt(declaration, now); !status.ok()) return status;
  return {};
}

Decider::Ending Recovery::give_grace_step(HostedTable& table, TimeMs now) {
  if (table.can.holder == nullptr) return Decider::Ending::finished;
  return decider_.decide_alone(table, now, kStepsTogether, Durability::synced,
                               [&](Decision& d) { return table.can.holder->decide_recovered(d); });
}

Status Recovery::give_grace(HostedTable& table, TimeMs now) {
  log::Log& log = *table.log->log;
  Decider::Ending ending = Decider::Ending::more;
  while (ending == Decider::Ending::more) {
    ending = give_grace_step(table, now);
    if (log.end_lsn().value - log.written_lsn().value < kWriteEveryBytes) continue;
    if (Status status = log.commit(); !status.ok()) return status;
    table.log->clock_in_batch = false;
  }
  if (ending == Decider::Ending::no_space)
    return {Code::no_space, "log " + table.log->name + " has no room to give the leases of table " +
                                in_quotes(table.name) + " their grace: free disk space"};
  due_tables_.refresh(table);
  return {};
}

Status Recovery::drop_forgotten(TimeMs now) {
  for (Declaration const& declaration : forget_) {
    auto const is_it = [&declaration](Forgotten const& one) { return one.table == declaration->name; };
    if (std::ranges::any_of(forgotten_, is_it)) continue;
    std::string names;
    for (auto const& log : tables_.logs())
      for (auto const& [id, entry] : log->catalogue.tables())
        names.append(names.empty() ? "" : ", ").append(entry.name);
    return {Code::unknown_table, "--forget " + declaration->name + ": no log holds a table of this name; there " +
                                     (names.empty() ? "is none" : "are: " + names) + ". Nothing was dropped"};
  }
  for (auto const& log : tables_.logs())
    if (Status status = drop_forgotten(*log, now); !status.ok()) return status;
  return {};
}

Status Recovery::drop_forgotten(HostedLog& log, TimeMs now) {
  // A copy, because dropped tables are removed from the original.
  std::map<TableId, HostedTable*> const tables = log.tables;
  for (auto const& [id, table] : tables) {
    if (table != nullptr && !table->forgotten) continue;
    if (table != nullptr) {
      auto const counted = std::ranges::find_if(forgotten_, [&log, &name = table->name](Forgotten const& one) {
        return one.table == name && one.log == log.name;
      });
      counted->rows = static_cast<std::uint64_t>(metric_of(*table, now, "rows"));
      if (Status status = configuration_.drop(*table, now); !status.ok()) return status;
      continue;
    }
    ObjectId const object = log.catalogue.find(id)->object;
    TableId const gone = id;
    Status status = log_in_catalogue(alerting_, log, now, 64, [&](Records& records) {
      log::Catalogue::append_table_dropped(records, object, gone);
    });
    if (!status.ok()) return status;
    log.tables.erase(id);
  }
  return {};
}

}  // namespace fastjournal::engine
