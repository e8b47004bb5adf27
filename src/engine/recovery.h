// How an engine gets its tables at a start: by replay of the logs, then by the declarations of conf/. In this order:
// 1. the declarations; 2. a book for each log; 3. its whole catalogue (table 0), then its records in order; 4. the log
// itself; 5. once for all logs, the changes by conf/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/configuration.h"
#include "engine/decider.h"
#include "engine/due_tables.h"
#include "engine/tables.h"

namespace fastjournal::engine {

// A table that was dropped at the start, with its rows.
struct Forgotten {
  std::string table;
  std::string log;
  std::optional<std::uint64_t> rows;  // not known: its plugin is missing, or cannot read them
};

class Recovery {
 public:
  Recovery(TableTypes const& types, Tables& tables, DueTables& due_tables, Configuration& configuration,
           Decider& decider, Alerting& alerting)
      : types_(types),
        tables_(tables),
        due_tables_(due_tables),
        configuration_(configuration),
        decider_(decider),
        alerting_(alerting) {}
  Recovery(Recovery const&) = delete;
  Recovery& operator=(Recovery const&) = delete;

  // Tables that the administrator drops with their rows: a declaration for each name and possible type, so that the rows
  // can be counted.
  void forget(Declarations tables) { forget_ = std::move(tables); }
  // Known once finish() is over.
  [[nodiscard]] std::vector<Forgotten> const& forgotten() const { return forgotten_; }

  [[nodiscard]] static Status replay_catalogue(HostedLog& log, RecordView const& record);
  [[nodiscard]] Status replay(HostedLog& log, RecordView const& record, Lsn base);
  // The next record of a log that another node writes, once its tables are hosted: tables that it makes, changes and drops
  // are made, changed and dropped here. Not ok: this node cannot follow.
  [[nodiscard]] Status follow(HostedLog& log, RecordView const& record, Lsn base);
  // The whole catalogue is known: its tables are made.
  [[nodiscard]] Status host(HostedLog& log);
  // The changes by conf/ for tables of this log alone.
  [[nodiscard]] Status adopt(HostedLog const& log, TimeMs now);
  // Gives the leases of this table their grace after a start, a few of them.
  [[nodiscard]] Decider::Ending give_grace_step(HostedTable& table, TimeMs now);
  // This record will be replayed soon.
  static void prefetch(HostedLog const& log, RecordView const& record) {
    auto const found = log.tables.find(record.table);
    if (found != log.tables.end() && found->second != nullptr) found->second->table->prefetch(record);
  }
  [[nodiscard]] Status attach(HostedLog& hosted, log::Log& log);
  // New tables and schemas enter the catalogues. The owner commits before it serves.
  [[nodiscard]] Status finish(TimeMs now);

 private:
  [[nodiscard]] Status host_table(HostedLog& log, TableId id, log::Catalogue::TableEntry const& entry,
                                  Schema const& schema);
  [[nodiscard]] Status replay_of_table(HostedLog& log, RecordView const& record, Lsn base);
  // It was dropped by another node.
  void forget(HostedTable& table);
  // It is to be forgotten: replayed to be counted, if its type is there.
  void host_forgotten(HostedLog& log, TableId id, log::Catalogue::TableEntry const& entry, Schema const& schema);
  [[nodiscard]] Status drop_forgotten(TimeMs now);
  [[nodiscard]] Status drop_forgotten(HostedLog& log, TimeMs now);
  [[nodiscard]] Status give_grace(HostedTable& table, TimeMs now);

  TableTypes const& types_;
  Tables& tables_;
  DueTables& due_tables_;
  Configuration& configuration_;
  Decider& decider_;
  Alerting& alerting_;
  Declarations forget_;
  std::vector<Forgotten> forgotten_;
};

}  // namespace fastjournal::engine
