// Alerts from their causes to the log and to their receivers. An alert that a table raises while a record is applied is
// logged in the group of that record; it is sent out once the logs are committed. Also ends groups, since no other part
// knows which alerts belong to them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/group.h"
#include "engine/pending_alerts.h"
#include "engine/tables.h"

namespace fastjournal::engine {

class Alerting {
 public:
  explicit Alerting(Tables const& tables) : tables_(tables) {}
  Alerting(Alerting const&) = delete;
  Alerting& operator=(Alerting const&) = delete;

  // An alert that is raised again within this time is only counted.
  void set_interval(DurationMs interval) { interval_ = interval; }

  // -- causes; `table` null: the daemon itself ------------------------------------
  // Logged by the group that is closed next, or at the end of the turn.
  void raise(HostedTable const* table, std::string_view name, std::uint8_t priority, std::string_view message,
             std::string_view tags) {
    pending_.raise(table, name, priority, message, tags);
  }
  // Usually it is not up: tables lower an alert whenever its cause is absent.
  void lower(HostedTable const* table, std::string_view name) {
    if (is_up(table, name)) pending_.lower(table, name);
  }
  // Lowered by an operator: not_found if there is none.
  [[nodiscard]] Status lower_by_hand(HostedTable const* table, std::string_view name, TimeMs now);
  // Those of a log that this node decides for from now on, or does no more.
  void tell_all(HostedLog const& log) { notify_all(log, true); }
  void forget_all(HostedLog const& log) { notify_all(log, false); }
  // The table is dropped: its alerts were those.
  void forget(HostedTable const& table, std::vector<log::Alert> const& alerts);

  // -- what is up -----------------------------------------------------------------
  [[nodiscard]] bool is_up(HostedTable const* table, std::string_view name) const {
    TableId const id = table == nullptr ? TableId::catalogue : table->id;
    return log_of(table, name).catalogue.alerts().find(id, name) != nullptr || pending_.has(table, name);
  }
  // By log, table and name; of logs that serve.
  [[nodiscard]] std::vector<log::Alert> all() const;
  [[nodiscard]] static std::vector<log::Alert> all_of(HostedTable const& table);

  // -- to the log -----------------------------------------------------------------
  // The log's open group ends, with the alerts that its records caused: recovery finds both or none.
  void close_group(HostedLog& log, TimeMs now, Durability durability) {
    if (!pending_.empty() && append(log, now)) durability = Durability::synced;
    end_group(log, now, durability);
  }
  // Alerts without a logged cause: the daemon's own, and those caused by time alone.
  void log_alone(TimeMs now);
  [[nodiscard]] bool has_pending() const { return !pending_.empty(); }

  // -- to their receivers -----------------------------------------------------------
  // To be sent once the logs are committed; each is returned once.
  [[nodiscard]] std::vector<log::AlertNotice> take_notices() { return std::exchange(notices_, {}); }
  // Alerts for which there was no room (kAlertsMax and other limits).
  [[nodiscard]] std::uint64_t dropped() const { return dropped_ + pending_.dropped(); }

 private:
  // To the open group of this log; the rest is appended to a later one. True if it appended something.
  bool append(HostedLog& log, TimeMs now);
  void append(HostedLog& log, PendingAlerts::Change const& change, TimeMs now);
  [[nodiscard]] HostedLog& log_of(HostedTable const* table, std::string_view name) const;
  void notify_all(HostedLog const& log, bool up);
  void notify(HostedLog const& log, bool up, HostedTable const* table, log::Alert alert);

  Tables const& tables_;
  PendingAlerts pending_;
  std::vector<log::AlertNotice> notices_;
  std::uint64_t dropped_{0};
  DurationMs interval_{600'000};
};

// A group of the log's catalogue alone, synced. append(Records&) appends at most `bytes`. Not ok: nothing was logged.
template <typename Append>
[[nodiscard]] Status log_in_catalogue(Alerting& alerting, HostedLog& log, TimeMs now, std::size_t bytes,
                                      Append const& append) {
  if (!log.serves) return log.away;
  if (!log.log->reserve(bytes + kStepBytesMax + kGroupBytes, true))
    return {Code::no_space, "log " + log.name + " has no room for its catalogue: free disk space"};
  append_to_catalogue(log, now, append);
  alerting.close_group(log, now, Durability::synced);
  return {};
}

}  // namespace fastjournal::engine
