// The engine's books: a log with what it holds, and a table with whoever
// waits for it. Plain data that only the engine's parts touch.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/name_table.h"
#include "core/catalogue.h"
#include "core/feed.h"
#include "core/log.h"
#include "core/subscriptions.h"
#include "core/types.h"
#include "core/wake_messages.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"

namespace fastjournal::core {

struct HostedTable;

struct HostedLog {
  std::string name;
  Log* log{nullptr};  // owned by the server; set once recovery is over
  bool keeps{true};   // false: of tables that are not persistent (VolatileLog)
  Catalogue catalogue;
  std::map<TableId, HostedTable*> tables;
  std::vector<HostedTable*> unsent_feeds;  // have records that their followers were not told
  bool hosted{false};                      // its catalogue was read and its tables made
  bool clock_in_batch{false};              // this turn's batch tells its `now` already
  Lsn base_checked_at{};                   // end of the log when the base was last moved
  Lsn rows_oldest{};                       // what the tables need, as of then
  bool short_of_space{false};              // something that adds was refused last time
  TimeMs refused_at{};                     // when there last was no room
  bool copying{false};                     // stragglers are being copied forward
  Lsn round_end{};                         // of the log when that began: a round ends when the base has come there
  Lsn round_over{};                        // end of the log when a round ended
  Lsn copy_below{};                        // the container that is being emptied ends here,
  std::uint64_t copied{0};                 // and this much of it was copied
  // Of the tables one that had rows when somebody looked; what holds no row at all is reset (when-empty).
  HostedTable const* with_rows{nullptr};
  bool has_dead{false};  // something was logged since it was reset
  TimeMs reset_at{};
  std::uint64_t records_replayed{0};
  std::uint64_t bytes_restated{0};

  // The table of which a record of the catalogue states a schema; null: it does not, or none is there.
  [[nodiscard]] HostedTable* table_of_schema(RecordView const& record) const {
    TableId const id = Catalogue::table_of_schema(record);
    auto const found = id == TableId::catalogue ? tables.end() : tables.find(id);
    return found == tables.end() ? nullptr : found->second;
  }
};

struct HostedTable {
  TableId id{};
  std::string name;
  TableType const* type{nullptr};
  std::shared_ptr<TableDeclaration const> declaration;  // nullptr: in the log, but not in conf/
  NameTable columns;
  std::unique_ptr<Table> table;
  Capabilities can;  // of the table
  HostedLog* log{nullptr};
  std::uint32_t number{0};  // in the engine's list and its heap of dates
  Subscriptions subscriptions;
  std::unique_ptr<Feed> feed;           // null: nobody can follow it
  std::unique_ptr<WakeMessages> wakes;  // null: the table declares no wake-message
  std::uint64_t memory_bytes{0};        // as it last said
  // Time that was lost, and that its leases do not know yet: as a rule nothing, as it is told at once. What is being
  // told, with the table's own cursor, and what follows.
  struct {
    DurationMs telling{};
    std::array<std::uint64_t, 4> carry{};
    DurationMs left{};
    [[nodiscard]] bool any() const { return telling.value != 0 || left.value != 0; }
  } lost;
  bool forgotten{false};  // dropped once the replay has told how many rows it has
  bool dirty{false};      // somebody may have to be told at the end of the turn
  std::uint64_t commands{0};
  std::uint64_t refused{0};

  // Takes a table that was just made.
  void take(std::unique_ptr<Table> made) {
    table = std::move(made);
    can = table->capabilities();
  }
  [[nodiscard]] TimeMs next_due() const { return can.timed == nullptr ? TimeMs::max() : can.timed->next_due(); }
};

// What STATS tells of a histogram, part by part: tell(name, value).
template <typename Tell>
void tell_parts(Metric const& metric, Histogram const& values, Tell&& tell) {
  std::string const name{metric.name};
  tell(name + "_p50", values.percentile(50));
  tell(name + "_p99", values.percentile(99));
  tell(name + "_max", values.max());
}

// One whole number of what the table tells about itself; 0: it tells none of this name.
[[nodiscard]] std::int64_t metric_of(HostedTable const& table, TimeMs now, std::string_view name);

// Bytes of records that are needed, of rows and of the catalogue.
[[nodiscard]] std::uint64_t live_bytes(HostedLog const& log);

}  // namespace fastjournal::core
