// Alerts: facts that an administrator must know, once for each cause and interval. They belong to table 0 of a log,
// because they outlive a start and because the group that states a cause states its alert too: both or none. A replay
// counts nothing twice, as tables raise nothing while they are replayed. Alerts of the daemon itself belong to its
// first log.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::core {

struct HostedTable;

struct Alert {
  std::string table;  // empty: of the daemon itself
  std::string name;
  std::uint8_t priority{0};  // 0 to 100; 50 and up should reach a person
  bool manual{false};        // its cause does not end by itself: a person lowers it
  std::string message;       // as of the last time it was told
  std::string tags;
  std::uint64_t count{0};
  TimeMs first{};
  TimeMs last{};

  bool operator==(Alert const&) const = default;
};

// What leaves the daemon, once the alert's record is durable.
struct AlertNotice {
  bool up{false};
  Alert alert;
};

inline constexpr std::size_t kAlertNameBytesMax = 32;
inline constexpr std::size_t kAlertMessageBytesMax = 1000;
inline constexpr std::size_t kAlertTagsBytesMax = 100;
inline constexpr std::size_t kAlertsPerTable = 8;
// Of one log. A watcher reads 100 flags; a daemon of a thousand sick tables has one cause.
inline constexpr std::size_t kAlertsMax = 1000;

// The alerts that stand in one log: a part of its catalogue.
class AlertBook {
 public:
  struct Entry {
    ObjectId object;
    Lsn lsn;      // where it was last stated as a whole
    Alert alert;  // without the table's name: that is the catalogue's matter
    TimeMs told;
  };
  using Key = std::pair<TableId, std::string>;          // TableId::catalogue: the daemon itself
  static constexpr std::size_t kRecordBytesMax = 1280;  // the most that one record takes, header included

  static void append_raised(Records& records, ObjectId object, TableId table, Alert const& alert, TimeMs told);
  // Nothing but its count goes on: 40 bytes.
  static void append_again(Records& records, TableId table, std::string_view name, std::uint64_t count, TimeMs last);
  static void append_lowered(Records& records, TableId table, std::string_view name);

  static constexpr std::uint8_t kRaised = 5;  // types of table 0's records, beside those of catalogue.cpp
  static constexpr std::uint8_t kAgain = 6;
  static constexpr std::uint8_t kLowered = 7;
  // Of their versions, as of all records: each type's own, all up to this one are read; 0: no such record.
  [[nodiscard]] static constexpr std::uint8_t newest_version(std::uint8_t type) {
    return type >= kRaised && type <= kLowered ? 1 : 0;
  }
  // False: damaged. What is said of an alert that is not there was said of one that was lowered since, and whose
  // first record the base has passed.
  [[nodiscard]] bool apply(RecordView const& record);
  void forget_table(TableId table);
  // Dates above `now` count as `now`: else one that was told under a clock that was ahead would be counted for years
  // and told no more.
  void lower_clock(TimeMs now);

  [[nodiscard]] std::map<Key, Entry> const& all() const { return entries_; }
  [[nodiscard]] Entry const* find(TableId table, std::string_view name) const;
  [[nodiscard]] bool has_room(TableId table) const;
  [[nodiscard]] Lsn oldest_lsn() const;
  // Restates one that stands below `below`; false if there is none.
  bool restate_one(Lsn below, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const { return entries_.size() * kRecordBytesMax; }
  void digest(DigestSink& sink) const;

 private:
  std::map<Key, Entry> entries_;
};

// What was raised and lowered since the last group was closed: one entry for each table and name.
class PendingAlerts {
 public:
  struct Change {
    HostedTable const* table{nullptr};  // null: the daemon itself
    Alert alert;                        // if `raised`
    std::uint64_t raised{0};
    bool lowered{false};  // before that
  };
  static constexpr std::size_t kMax = 64;

  // Texts beyond the limits above are cut.
  void raise(HostedTable const* table, std::string_view name, std::uint8_t priority, std::string_view message,
             std::string_view tags);
  void lower(HostedTable const* table, std::string_view name);

  [[nodiscard]] bool has(HostedTable const* table, std::string_view name) const;
  [[nodiscard]] bool empty() const { return changes_.empty(); }
  [[nodiscard]] std::vector<Change>& changes() { return changes_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  Change* entry(HostedTable const* table, std::string_view name);

  std::vector<Change> changes_;
  std::uint64_t dropped_{0};
};

}  // namespace fastjournal::core
