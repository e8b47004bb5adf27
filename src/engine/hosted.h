// A log with its tables, and a table with its waiting clients and followers: plain data that the engine's classes share.
// Tables owns both. A field that one class alone needs stands in that class.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/name_table.h"
#include "engine/feed/feed.h"
#include "engine/last_minute.h"
#include "engine/needs.h"
#include "engine/outcome.h"
#include "engine/outside.h"
#include "engine/types.h"
#include "engine/waiting/served_table.h"
#include "engine/waiting/subscriptions.h"
#include "engine/waiting/wake_messages.h"
#include "engine/waiting/watchers.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "log/catalogue.h"
#include "log/log.h"

namespace fastjournal::engine {

struct HostedTable;

// The receiver of each record of a table once it is applied, and of the end of its log's group (engine/moving.h).
class Mirror {
 public:
  virtual void note(RecordView const& record) = 0;
  virtual void group_ended(TimeMs now) = 0;

 protected:
  ~Mirror() = default;
};

struct HostedLog {
  std::string name;
  log::Log* log{nullptr};     // owned by the server; set once recovery is over
  std::uint64_t store_id{0};  // its; set before its first record is replayed
  bool keeps{true};           // false: the log of tables that are not persistent (VolatileLog)
  // False: it takes no records now (Engine::set_serving), and nothing is decided for its tables.
  bool serves{true};
  Status away;            // ... what commands on its tables are refused with
  bool is_shared{false};  // with other nodes
  bool is_ours{true};     // false: another node decides (FollowedLog), and its tables follow that one's records
  log::Catalogue catalogue;
  std::map<TableId, HostedTable*> tables;
  Needs needs;                             // of these tables
  std::vector<HostedTable*> unsent_feeds;  // with records that their followers were not sent
  bool hosted{false};                      // its catalogue was read and its tables were made,
  Lsn catalogue_read_to{};                 // of a log that is followed: by records below
  bool is_caught_up{true};                 // everything that came is in the catalogue and the tables
  bool clock_in_batch{false};              // this turn's batch already has its `now`
  bool has_dead{false};                    // something was logged since it was reset
  bool short_of_space{false};              // an addition was refused last time
  TimeMs refused_at{};                     // the last refusal for lack of room
  std::uint64_t records_replayed{0};
  std::uint64_t bytes_compacted{0};
  Mirror* mirror{nullptr};  // of one of its tables; null: of none
  // A table that comes from another log, and is in no catalogue so far: its records are here from this LSN on.
  Table const* arriving{nullptr};
  Lsn arriving_from{};
  // Nothing is decided for a moment, until everything is durable.
  bool is_resting{false};
  // Of a log that is followed: a table was declared whose records were passed over, so all is to be read anew.
  bool must_read_anew{false};

  // The table whose schema this record of the catalogue states; null for other records and unknown tables.
  [[nodiscard]] HostedTable* table_of_schema(RecordView const& record) const {
    TableId const id = log::Catalogue::table_of_schema(record);
    auto const found = id == TableId::catalogue ? tables.end() : tables.find(id);
    return found == tables.end() ? nullptr : found->second;
  }
};

// Lost time by which the leases of a table were not extended yet; usually none, as that is done at once.
struct LostTime {
  DurationMs telling{};                  // in progress,
  std::array<std::uint64_t, 4> carry{};  // with the table's own cursor,
  DurationMs left{};                     // and this follows
  [[nodiscard]] bool any() const { return telling.value != 0 || left.value != 0; }
};

struct HostedTable;

// Of the mirror of a table in an SQL database (Exported), for STATS; the server counts.
struct ExportFigures {
  bool is_on{false};
  // Where the table is put when a record of it was applied, once or more for each look at it; null: nowhere.
  std::vector<HostedTable*>* changed{nullptr};
  TimeMs date{};  // of the state that is there; zero: none since the start
  std::uint64_t exports{0};
  std::uint64_t failures{0};
};

struct HostedTable {
  TableId id{};
  std::string name;
  TableType const* type{nullptr};
  std::shared_ptr<TableDeclaration const> declaration;
  NameTable columns;
  std::unique_ptr<Table> table;  // null: it was dropped
  Capabilities can;              // of the table
  HostedLog* log{nullptr};
  Outside* outside{nullptr};  // its bytes outside the log; null: it has none. Owned by the server
  std::uint32_t number{0};    // index in Tables and in the DueTables
  TimeMs due{};               // its next_due() or earlier, as the DueTables last saw it; never later
  work::Subscriptions subscriptions;
  work::Watchers watchers;
  std::unique_ptr<feed::Feed> feed;           // null: the table has no feed
  std::unique_ptr<work::WakeMessages> wakes;  // null: the table declares no wake-message
  std::uint64_t memory_bytes{0};              // as last reported to Memory
  LostTime lost;
  Lsn begins{};             // log::Catalogue::Move
  bool is_leaving{false};   // to another log: nothing is decided here any more
  Mirror* mirror{nullptr};  // null: none
  bool forgotten{false};    // dropped after the replay, which counts its rows
  Need need;                // as the Needs of its log have seen it
  bool is_noted{false};     // they, and `outside`, know that it changed
  bool marked{false};       // in the DueTables: its waiting clients are served at the end of the turn
  std::uint64_t commands{0};
  std::uint64_t refused{0};
  ExportFigures exported;
  LastMinute last_minute;  // of its histograms, as STATS and WATCH look at them

  // Takes a table that was just made.
  void take(std::unique_ptr<Table> made) {
    table = std::move(made);
    can = table->capabilities();
  }
  [[nodiscard]] bool is_dropped() const { return table == nullptr; }
  // Something may be decided for it now. If not, away() tells why.
  [[nodiscard]] bool serves() const { return log->serves && !log->is_resting && !is_leaving; }
  // It changes by time alone.
  [[nodiscard]] TimeMs next_due() const { return can.timed == nullptr ? TimeMs::max() : can.timed->next_due(); }
  // Time alone concerns its waiting clients.
  [[nodiscard]] TimeMs next_deadline() const {
    TimeMs const next = subscriptions.next_deadline();
    return wakes == nullptr ? next : std::min(next, wakes->next_deadline());
  }
  [[nodiscard]] work::ServedTable served() {
    return {name,      *type->declaration(), type->delivering(), *declaration, can,
            *log->log, subscriptions,        watchers,           wakes.get()};
  }
  void name_columns(Schema const& schema) {
    columns = {};
    for (std::size_t i = 0; i < schema.columns.size(); ++i)
      columns.add(schema.columns[i].name, static_cast<std::uint32_t>(i));
  }
};

// Null: of no log.
[[nodiscard]] inline Basis basis_of(HostedLog const* log) { return {.log = log == nullptr ? nullptr : log->log}; }

// Why a command on this table of a log that does not serve is refused.
[[nodiscard]] Status away(HostedLog const& log, std::string_view table);
// The same of a table that does not serve.
[[nodiscard]] Status away(HostedTable const& table);

// Its own, and those of its waiting clients.
void tell_metrics(HostedTable const& table, TimeMs now, MetricSink& sink);

// The figures of a histogram in STATS, part by part: tell(name, value).
template <typename Tell>
void tell_parts(Metric const& metric, Histogram const& values, Tell&& tell) {
  std::string const name{metric.name};
  tell(name + "_p50", values.percentile(50));
  tell(name + "_p99", values.percentile(99));
  tell(name + "_max", values.max());
}

// One metric of the table, if it is a whole number; 0: there is none of this name.
[[nodiscard]] std::int64_t metric_of(HostedTable const& table, TimeMs now, std::string_view name);

// The contents that would be lost with the table: rows, messages, pairs. Not what is there without them, as queues,
// deleted keys and the sequences of producers. Of a type that does not tell `rows`: whether there is anything.
[[nodiscard]] std::uint64_t rows_of(HostedTable const& table);

// Bytes of records that are needed, of rows and of the catalogue.
[[nodiscard]] std::uint64_t live_bytes(HostedLog& log);

}  // namespace fastjournal::engine
