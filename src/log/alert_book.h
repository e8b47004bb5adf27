// Alerts: facts that an administrator must know, once for each cause and interval. They belong to table 0 of a log,
// because they outlive a start and because the group of a cause has its alert too: recovery finds both or none. A
// replay counts nothing twice, because tables raise no alerts while they are replayed. Alerts of the daemon itself
// belong to its first log.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/record.h"
#include "fastjournal/types.h"

namespace fastjournal::log {

class Log;

struct Alert {
  std::string table;  // empty: of the daemon itself
  std::string name;
  std::uint8_t priority{0};  // 0 to 100; 50 and up should reach an operator
  bool manual{false};        // ends only when an operator lowers it
  std::string message;       // of the last time that it was sent
  std::string tags;
  std::uint64_t count{0};
  TimeMs first{};
  TimeMs last{};

  bool operator==(Alert const&) const = default;
};

// Sent out once the alert's record is durable.
struct AlertNotice {
  bool up{false};
  Alert alert;
  Log const* log{nullptr};  // in which it stands
};

inline constexpr std::size_t kAlertNameBytesMax = 32;
inline constexpr std::size_t kAlertMessageBytesMax = 1000;
inline constexpr std::size_t kAlertTagsBytesMax = 100;
inline constexpr std::size_t kAlertsPerTable = 8;
// For one log. A watcher reads 100 flags, and alerts of a thousand tables have one cause.
inline constexpr std::size_t kAlertsMax = 1000;

// The current alerts of one log: a part of its catalogue.
class AlertBook {
 public:
  struct Entry {
    ObjectId object;
    Lsn lsn;      // the last record that states all of it
    Alert alert;  // without the table's name, which the catalogue has
    TimeMs told;
  };
  using Key = std::pair<TableId, std::string>;          // TableId::catalogue: the daemon itself
  static constexpr std::size_t kRecordBytesMax = 1280;  // the largest record, header included

  static void append_raised(Records& records, ObjectId object, TableId table, Alert const& alert, TimeMs told);
  // Updates the count only: 40 bytes.
  static void append_again(Records& records, TableId table, std::string_view name, std::uint64_t count, TimeMs last);
  static void append_lowered(Records& records, TableId table, std::string_view name);

  static constexpr std::uint8_t kRaised = 5;  // types of table 0's records, beside those of catalogue.cpp
  static constexpr std::uint8_t kAgain = 6;
  static constexpr std::uint8_t kLowered = 7;
  // The newest version of this record type; all up to it are read. 0: no such record.
  [[nodiscard]] static constexpr std::uint8_t newest_version(std::uint8_t type) {
    return type >= kRaised && type <= kLowered ? 1 : 0;
  }
  // False: damaged. A record about an unknown alert is about one that was lowered later, and whose first record is
  // below the base.
  [[nodiscard]] bool apply(RecordView const& record);
  void forget_table(TableId table);
  // Dates above `now` count as `now`: otherwise an alert that was sent while the clock was ahead would only be counted,
  // for years.
  void lower_clock(TimeMs now);

  [[nodiscard]] std::map<Key, Entry> const& all() const { return entries_; }
  [[nodiscard]] Entry const* find(TableId table, std::string_view name) const;
  [[nodiscard]] bool has_room(TableId table) const;
  [[nodiscard]] Lsn oldest_lsn() const;
  // Writes one alert again whose record is below `below`; false if there is none.
  bool compact_one(Lsn below, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const { return entries_.size() * kRecordBytesMax; }
  void digest(DigestSink& sink) const;

 private:
  std::map<Key, Entry> entries_;
};

}  // namespace fastjournal::log
