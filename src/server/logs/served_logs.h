// The logs that the server drives, whatever engine is behind each: the end of their turns, their jobs, what they report,
// and their state, which the engine is told. Owned by the server.
//
// Only a local log can fail (State::failed): then the daemon is dead. Nothing more is sent or decided, and the host
// ends it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/env/network.h"
#include "base/env/notes.h"
#include "engine/engine.h"
#include "fastjournal/message.h"
#include "log/log_store.h"
#include "server/admin/backup.h"
#include "server/admin/commands.h"
#include "server/daemon_alerts.h"
#include "server/logs/shared_log.h"
#include "server/server_host.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

struct ServedLog {
  log::LogStore* log{nullptr};
  log::State state{log::State::serving};  // as of the last turn's end
  std::unique_ptr<SharedLog> shared{};    // null: this computer's own
  log::Owner owner{};                     // as clients are told

  [[nodiscard]] bool serves() const { return state == log::State::serving; }
};

class ServedLogs final : public admin::BackupLogs, public admin::SharedLogs {
 public:
  ServedLogs(engine::Engine& engine, LogHost& host, env::Notes& notes, DaemonAlerts& alerts, env::Network& network,
             TurnClock& clock)
      : engine_(engine),
        host_(host),
        notes_(notes),
        alerts_(alerts),
        network_(network),
        clock_(clock),
        time_(clock.time()) {}

  // A log that recovered and is attached to the engine. What it has to tell of how it was opened becomes alerts.
  void add(log::LogStore& log);
  // One that is shared with other nodes; nothing of it has to be there.
  void add(log::SharedLog& log, engine::FollowedLog& followed);
  [[nodiscard]] std::vector<ServedLog> const& all() const { return logs_; }

  // Of every log, at the start.
  [[nodiscard]] Status commit();
  // The daemon ends: shared logs are given to other nodes, with the turns that follow. True: they are.
  [[nodiscard]] bool leave();
  // Of those that serve, at a clean end: first everything is committed, and then, when that was sent, they get their clean-shutdown markers.
  [[nodiscard]] Status settle();
  [[nodiscard]] Status shut_down();

  // Ends the turn of each log. `is_crowded(i)`: so much waits for the log that the loop waits too, if it is local;
  // `fenced(i)`: it has just been fenced. False: the daemon is dead.
  template <typename IsCrowded, typename Fenced>
  [[nodiscard]] bool end_turn(IsCrowded&& is_crowded, Fenced&& fenced) {
    host_.collect_work();
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      if (end_turn_of(logs_[i], is_crowded(i))) fenced(i);
      if (logs_[i].shared != nullptr) advance(logs_[i]);
    }
    if (has_shared_) compare_declarations();
    return check();
  }
  // A log may have failed while it made room, for a refused command or for compaction: then the daemon ends
  // although nothing was written since. False: it is dead.
  bool check();
  [[nodiscard]] bool is_dead() const { return is_dead_; }
  // Something beside the logs failed in the same way.
  void fail(Status const& status) { die(status); }

  // Tables of shared logs came or went since the last call.
  [[nodiscard]] bool take_changed();
  // The configuration was changed.
  void retry_shared();
  void for_each_shared(std::function<void(One const&)> const& visit) override;
  [[nodiscard]] Status step_down(std::string_view log, DurationMs for_so_long) override;
  // "LOG: owner NODE, NODE, ...; ..." of shared ones.
  [[nodiscard]] std::string nodes() const;

  // Followers wait for records that were only written.
  void sync_soon();
  // The next date at which a log wants a turn; INT64_MAX: not before there is a cause.
  [[nodiscard]] std::int64_t next_us() const;

  [[nodiscard]] Status check_serving() const override;
  [[nodiscard]] std::vector<std::string> elsewhere() const override;
  [[nodiscard]] std::vector<Pinned> pin_all() override;
  bool unpin_all() override;

  // The meaning of an acknowledgement, for people.
  [[nodiscard]] std::string durability() const;
  [[nodiscard]] std::int64_t monotonic_us() const { return clock_.monotonic_us(); }
  [[nodiscard]] std::int64_t unsynced_ms(log::LogDescription const& log) const;
  // For STATS.
  [[nodiscard]] std::uint64_t commits() const { return commits_; }
  void tell_syncs(MetricSink& sink) const;
  void tell_scrubbing(MetricSink& sink) const;
  void tell_each(std::function<MetricSink&(std::string_view log)> const& sink_of) const;
  // Not ok: a log that does not serve, and why.
  [[nodiscard]] Status readiness() const;

 private:
  [[nodiscard]] bool end_turn_of(ServedLog& served, bool is_crowded);
  void note_state(ServedLog& served);
  void advance(ServedLog& served);
  void compare_declarations();
  static void tell_shared(SharedLog const& shared, MetricSink& sink);
  void tell_news(log::LogStore& log);
  void die(Status const& status);

  engine::Engine& engine_;
  LogHost& host_;
  env::Notes& notes_;
  DaemonAlerts& alerts_;
  env::Network& network_;
  TurnClock& clock_;
  TimeKeeper& time_;
  std::vector<ServedLog> logs_;
  bool is_dead_{false};
  bool has_shared_{false};
  std::string differing_;  // as the alert tells it
  std::uint64_t commits_{0};
};

}  // namespace fastjournal::server
