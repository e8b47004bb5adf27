// The engine's records of a log with its contents, and of a table with its waiting clients. Plain data, used by the
// engine's files only.
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
  bool keeps{true};   // false: the log of tables that are not persistent (VolatileLog)
  // False: it takes no records now (Engine::set_serving), and nothing is decided for its tables.
  bool serves{true};
  std::string why_not;  // ... for people
  Catalogue catalogue;
  std::map<TableId, HostedTable*> tables;
  std::vector<HostedTable*> unsent_feeds;  // with records that their followers were not sent
  bool hosted{false};                      // its catalogue was read and its tables were made
  bool clock_in_batch{false};              // this turn's batch already has its `now`
  Lsn base_checked_at{};                   // end of the log when the base was last moved
  Lsn rows_oldest{};                       // live bytes of the tables, as of then
  bool short_of_space{false};              // an addition was refused last time
  TimeMs refused_at{};                     // the last refusal for lack of room
  bool copying{false};                     // copying forward is in progress
  Lsn round_end{};                         // end of the log when that began: the round ends when the base reaches it
  Lsn round_over{};                        // end of the log when a round ended
  Lsn copy_below{};                        // the container that is being emptied ends here,
  std::uint64_t copied{0};                 // and this much of it was copied
  // A table that had rows when it was last checked; a log without rows is reset (when-empty).
  HostedTable const* with_rows{nullptr};
  bool has_dead{false};  // something was logged since it was reset
  TimeMs reset_at{};
  std::uint64_t records_replayed{0};
  std::uint64_t bytes_restated{0};

  // The table whose schema this record of the catalogue states; null for other records and unknown tables.
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
  std::uint32_t number{0};  // index in the engine's list and in its heap of dates
  Subscriptions subscriptions;
  std::unique_ptr<Feed> feed;           // null: the table has no feed
  std::unique_ptr<WakeMessages> wakes;  // null: the table declares no wake-message
  std::uint64_t memory_bytes{0};        // as last reported
  // Lost time by which the leases were not extended yet; usually none, as that is done at once. `telling` is in
  // progress, with the table's own cursor; `left` follows.
  struct {
    DurationMs telling{};
    std::array<std::uint64_t, 4> carry{};
    DurationMs left{};
    [[nodiscard]] bool any() const { return telling.value != 0 || left.value != 0; }
  } lost;
  bool forgotten{false};  // dropped after the replay, which counts its rows
  bool dirty{false};      // listeners may have to be notified at the end of the turn
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

// One metric of the table, if it is a whole number; 0: there is none of this name.
[[nodiscard]] std::int64_t metric_of(HostedTable const& table, TimeMs now, std::string_view name);

// Bytes of records that are needed, of rows and of the catalogue.
[[nodiscard]] std::uint64_t live_bytes(HostedLog const& log);

}  // namespace fastjournal::core
