// The tables of a log: the state of its table 0. Decided, logged, applied and compacted like rows. With these names and
// types an old log can be read even if conf/ has changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/record.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "log/alert_book.h"
#include "log/transaction_book.h"

namespace fastjournal::log {

// Of a table that moves from one log to another (engine/moving.h).
struct TableMove {
  // Its records are in this log from here on; an object whose number is below may have none. None: it was made here.
  Lsn begins{};
  // It leaves to the table of this number in that store: once that one's catalogue has it, this one is over. What may
  // still bring it there is the start of this number, of that store, which was the current one.
  std::uint64_t to_store{0};
  TableId to{};
  std::uint32_t to_start{0};

  [[nodiscard]] bool leaves() const { return to_store != 0; }
  bool operator==(TableMove const&) const = default;
};

class Catalogue {
 public:
  using Move = TableMove;
  struct SchemaEntry {
    ObjectId object;
    Lsn lsn;  // its latest statement
    Schema schema;
  };
  struct TableEntry {
    ObjectId object;
    Lsn lsn;
    std::string name;
    std::string type;
    Move move{};
    std::map<std::uint16_t, SchemaEntry> schemas;
  };

  // -- records, each appended as a step of a group ----------------------------
  static void append_table(Records& records, ObjectId object, TableId id, std::string_view name, std::string_view type,
                           Move const& move = {});
  static void append_schema(Records& records, ObjectId object, TableId id, Schema const& schema);
  static void append_table_dropped(Records& records, ObjectId object, TableId id);
  // The engine's `now`, so that time never goes back over a restart, and the reason of a step in it.
  struct Clock {
    enum class Why : std::uint8_t {
      passed,  // time passed, no step
      set,     // the wall clock was set forward by `by`
      slept,   // the computer slept so long
    };
    TimeMs now{};
    Why why{Why::passed};
    DurationMs by{};
  };
  static void append_clock(Records& records, Clock const& clock);
  // The administrator accepted a wall clock that is behind `from`, the log's last date. The clock is `now`, and later
  // dates of past events count as `now`. It has a record type of its own because alerts depend on it: a reader of the
  // catalogue alone skips clocks, but must not skip this one.
  static void append_clock_accepted(Records& records, TimeMs now, TimeMs from);
  // Applies only records about time; false: damaged.
  [[nodiscard]] bool apply_time(RecordView const& record);
  // Numbers below are reserved for logs that keep nothing (VolatileLog): no later start gives them again.
  static void append_numbers(Records& records, ObjectId object, Lsn below);
  struct Numbers {
    ObjectId object;
    Lsn lsn;
    Lsn below;  // none: never were
  };
  [[nodiscard]] Numbers const& numbers() const { return numbers_; }
  // The current period of a log that has some (period.h).
  struct Period {
    TimeMs since{};  // its begin, by the clock; 0: none has begun
    Lsn begins{};    // its records are here and above,
    Lsn before{};    // and those of the period before it here; what is below is older

    bool operator==(Period const&) const = default;
  };
  static void append_period(Records& records, ObjectId object, Period const& period);
  [[nodiscard]] Period const& period() const { return period_; }
  [[nodiscard]] ObjectId period_object() const { return period_object_; }
  static constexpr std::size_t kPeriodBytes = 64;  // as kClockBytes
  static constexpr std::size_t kClockBytes = 64;   // largest record of append_clock, header included

  // The table that a record of table 0 concerns, unless it concerns an alert or a transaction.
  [[nodiscard]] static std::optional<TableId> table_of(RecordView const& record);

  // The name of a record type of table 0, for people: "schema".
  [[nodiscard]] static std::string_view name_of(std::uint8_t type);

  // Each record type has versions of its own; all up to this one are read. 0: no such record.
  [[nodiscard]] static std::uint8_t newest_version(std::uint8_t type);

  // False: the record is damaged or of an unknown version.
  [[nodiscard]] bool apply(RecordView const& record) noexcept;

  // The table of a record that states a schema; TableId::catalogue for other records.
  [[nodiscard]] static TableId table_of_schema(RecordView const& record);
  // The schema itself; not ok: damaged.
  [[nodiscard]] static Result<Schema> read_schema(RecordView const& record);

  [[nodiscard]] std::map<TableId, TableEntry> const& tables() const { return tables_; }
  [[nodiscard]] TableEntry const* find(TableId id) const;
  // A record of that table was read.
  void see(TableId id) { last_id_ = std::max(last_id_, static_cast<std::uint32_t>(id)); }
  // A number that no table in the records of this log has had, so that none of them can be taken for a new table's.
  [[nodiscard]] TableId next_id() const { return TableId{last_id_ + 1}; }
  [[nodiscard]] TimeMs last_now() const { return last_now_; }
  [[nodiscard]] AlertBook const& alerts() const { return alerts_; }
  [[nodiscard]] TransactionBook const& transactions() const { return transactions_; }

  [[nodiscard]] Lsn oldest_lsn() const;
  // Writes one entry again whose statement is below `below`; false if there is none.
  bool compact_one(Lsn below, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const {
    return live_bytes_ + alerts_.live_bytes() + transactions_.live_bytes();
  }
  void digest(DigestSink& sink) const;

 private:
  bool apply_table(RecordView const& record);
  bool apply_schema(RecordView const& record);
  void drop(TableId id);
  // The latest statement moved from `from` (none: it is new) to `to` (none: it is gone).
  struct Statement {
    TableId id;
    std::optional<std::uint16_t> schema;  // none: the table itself
  };
  void move(Lsn from, Lsn to, Statement what);

  std::map<TableId, TableEntry> tables_;
  std::map<Lsn, Statement> by_place_;  // of tables and schemas, the oldest first: there may be ten thousand tables
  AlertBook alerts_;
  TransactionBook transactions_;
  std::uint32_t last_id_{0};
  TimeMs last_now_{};
  Numbers numbers_;
  Period period_;
  ObjectId period_object_;
  Lsn period_lsn_;
  std::uint64_t live_bytes_{0};
};

}  // namespace fastjournal::log
