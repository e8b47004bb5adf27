// The date of a turn: all its commands are decided at one `now`, which no log has passed. Which clocks a start accepts,
// and what is done about time that is lost while the daemon runs. Owned by the server.
#pragma once

#include <cstdint>
#include <string>

#include "base/env/clock.h"
#include "base/env/notes.h"
#include "engine/engine.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "server/daemon_alerts.h"
#include "server/time_keeper.h"

namespace fastjournal::server {

// The wall clock is ahead by so much that it may be wrong; an operator lowers the alert.
inline constexpr std::string_view kClockAhead = "clock-ahead";

// Which clocks a start accepts.
struct ClockRules {
  DurationMs behind_max{3'600'000};  // behind the log's last date
  bool accept{false};                // any clock: the administrator knows
};

class TurnClock {
 public:
  TurnClock(env::Clock& clock, engine::Engine& engine, DaemonAlerts& alerts, env::Notes& notes)
      : time_(clock), engine_(engine), alerts_(alerts), notes_(notes) {}

  // Before the first log is opened.
  void judge_by(ClockRules rules) { rules_ = rules; }
  // When a log was read, before anything is written to it: not ok if the wall clock is too far behind its last date.
  [[nodiscard]] Status check(engine::HostedLog const& log);
  // This node is to decide for a log that another one wrote: the date of this turn must have come to the log's last one.
  // `unavailable`: it will have in a moment. Clocks of computers differ; time that is skipped extends leases.
  [[nodiscard]] Status come_to(engine::HostedLog const& log);
  // After all logs were read.
  [[nodiscard]] Status begin();
  // A remark on the clock at this start, for people; empty: none.
  [[nodiscard]] std::string const& start_note() const { return start_note_; }

  [[nodiscard]] TimeKeeper& time() { return time_; }
  [[nodiscard]] std::int64_t monotonic_us() { return time_.monotonic_us(); }

  // The date of this turn. Time that was lost before it extends leases first.
  [[nodiscard]] TimeMs now() {
    if (!is_known_) look();
    return now_;
  }
  // The next now() reads the clock again.
  void forget() { is_known_ = false; }
  // The last result of now().
  [[nodiscard]] TimeMs last() const { return now_; }

 private:
  void look();
  void lose(TimeKeeper::Lost const& lost);

  TimeKeeper time_;
  engine::Engine& engine_;
  DaemonAlerts& alerts_;
  env::Notes& notes_;
  ClockRules rules_;
  std::string start_note_;
  TimeMs now_{};
  bool is_known_{false};
};

}  // namespace fastjournal::server
