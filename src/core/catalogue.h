// Which tables a log holds: the state of table 0 of each log.
// An object like any other: decided, logged, applied, restated. The names and
// types here are what makes an old log readable when conf/ has changed since.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/alerts.h"
#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::core {

class Catalogue {
 public:
  struct SchemaEntry {
    ObjectId object;
    Lsn lsn;  // where it was last stated
    Schema schema;
  };
  struct TableEntry {
    ObjectId object;
    Lsn lsn;
    std::string name;
    std::string type;
    std::map<std::uint16_t, SchemaEntry> schemas;
  };

  // -- records, each appended as a step of a group ----------------------------
  static void append_table(Records& records, ObjectId object, TableId id, std::string_view name, std::string_view type);
  static void append_schema(Records& records, ObjectId object, TableId id, Schema const& schema);
  static void append_table_dropped(Records& records, ObjectId object, TableId id);
  // The engine's `now`, so that time never goes back over a restart, and why it is another than time
  // alone makes it.
  struct Clock {
    enum class Why : std::uint8_t {
      passed,  // nothing but time
      set,     // the wall clock was set forward by `by`
      slept,   // the computer slept so long
    };
    TimeMs now{};
    Why why{Why::passed};
    DurationMs by{};
  };
  static void append_clock(Records& records, Clock const& clock);
  // The administrator accepted a wall clock that is behind `from`, the log's last date: it is `now`, and later dates
  // of what has been count as `now`. A record of a type of its own, as alerts depend on it: who reads the catalogue
  // before the rest must meet it among them.
  static void append_clock_accepted(Records& records, TimeMs now, TimeMs from);
  // What the record says of time alone; false: damaged. Others say nothing.
  [[nodiscard]] bool apply_time(RecordView const& record);
  // Numbers below are given away by logs that keep nothing (VolatileLog): no start gives them again.
  static void append_numbers(Records& records, ObjectId object, Lsn below);
  struct Numbers {
    ObjectId object;
    Lsn lsn;
    Lsn below;  // none: never were
  };
  [[nodiscard]] Numbers const& numbers() const { return numbers_; }
  static constexpr std::size_t kClockBytes = 64;  // what append_clock takes at the most, header included

  // The table that a record of table 0 is about, if it is about the table itself (not about an alert of it).
  [[nodiscard]] static std::optional<TableId> table_of(RecordView const& record);

  // What a record type of table 0 is, for people: "schema".
  [[nodiscard]] static std::string_view name_of(std::uint8_t type);

  // Each record type has versions of its own; all up to this one are read. 0: no such record.
  [[nodiscard]] static std::uint8_t newest_version(std::uint8_t type);

  // False: the record is damaged or of an unknown version.
  [[nodiscard]] bool apply(RecordView const& record) noexcept;

  // Of a record that states a schema: whose it is; TableId::catalogue: it states something else.
  [[nodiscard]] static TableId table_of_schema(RecordView const& record);
  // The schema itself; not ok: damaged.
  [[nodiscard]] static Result<Schema> read_schema(RecordView const& record);

  [[nodiscard]] std::map<TableId, TableEntry> const& tables() const { return tables_; }
  [[nodiscard]] TableEntry const* find(TableId id) const;
  // A record of that table was met.
  void see(TableId id) { last_id_ = std::max(last_id_, static_cast<std::uint32_t>(id)); }
  // A number that no table of this log ever had, as far as the log tells: none of its records can be taken for a new table's.
  [[nodiscard]] TableId next_id() const { return TableId{last_id_ + 1}; }
  [[nodiscard]] TimeMs last_now() const { return last_now_; }
  [[nodiscard]] AlertBook const& alerts() const { return alerts_; }

  [[nodiscard]] Lsn oldest_lsn() const;
  // Restates one entry that stands below `below`; false if there is none.
  bool restate_one(Lsn below, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_ + alerts_.live_bytes(); }
  void digest(DigestSink& sink) const;

 private:
  bool apply_table(RecordView const& record);
  bool apply_schema(RecordView const& record);
  void drop(TableId id);
  // A statement of what stood at `from` (none: nowhere) stands at `to` now (none: nowhere).
  struct Statement {
    TableId id;
    std::optional<std::uint16_t> schema;  // none: the table itself
  };
  void move(Lsn from, Lsn to, Statement what);

  std::map<TableId, TableEntry> tables_;
  std::map<Lsn, Statement> by_place_;  // of tables and schemas, the oldest first: there may be ten thousand tables
  AlertBook alerts_;
  std::uint32_t last_id_{0};
  TimeMs last_now_{};
  Numbers numbers_;
  std::uint64_t live_bytes_{0};
};

}  // namespace fastjournal::core
