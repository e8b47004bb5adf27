// A log that several nodes share, as the server drives it: what it brings goes to the engine, the tables are taken over
// when this node becomes its owner, and let go when it is that no more. One for each such log; owned by ServedLogs.
#pragma once

#include <cstdint>
#include <string>

#include "base/env/notes.h"
#include "engine/engine.h"
#include "log/shared_log.h"
#include "server/daemon_alerts.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

// This node cannot decide for a log; lowered when it can.
inline constexpr std::string_view kCannotTakeOver = "cannot-take-over";
// Another node's files declare a table of a shared log otherwise than this node's; lowered when they are alike.
inline constexpr std::string_view kDeclarationDiffers = "declaration-differs";

class SharedLog {
 public:
  // How soon clients may try again while the log has no owner.
  static constexpr std::int64_t kRetryMs = 100;

  SharedLog(log::SharedLog& log, engine::FollowedLog& followed, TurnClock& clock, env::Notes& notes,
            DaemonAlerts& alerts)
      : log_(log), followed_(followed), clock_(clock), notes_(notes), alerts_(alerts) {
    log_.declare(followed_.declared());
  }

  // After log.end_turn(), and after those were closed who waited for a log that is fenced now. True: it wants another
  // turn at once.
  [[nodiscard]] bool advance();
  // When it wants a turn without a cause; INT64_MAX: not before there is one.
  [[nodiscard]] std::int64_t next_us() const { return look_at_us_; }
  // The log's own, but `serving` only when its tables were taken over.
  [[nodiscard]] log::State state() const;
  // The refusal of commands on its tables while it does not serve.
  [[nodiscard]] Status away() const;
  // The configuration was changed.
  void retry();
  // The daemon ends: once everything is durable another node gets the log. True: it has left.
  [[nodiscard]] bool leave();
  // Gives the log to another node, and does not take it again for so long. Not ok: it is not the owner.
  [[nodiscard]] Status step_down(std::int64_t for_us);

  // Nodes that have had other tables than this one for longer than a change of the files takes: "node n2: jobs, mails";
  // empty: all of them are alike.
  [[nodiscard]] std::string differing();
  [[nodiscard]] bool take_changed() { return followed_.take_changed(); }
  [[nodiscard]] Histogram const& lag_ms() const { return followed_.lag_ms(); }
  [[nodiscard]] log::SharedLog& log() { return log_; }
  [[nodiscard]] log::SharedLog const& log() const { return log_; }

 private:
  [[nodiscard]] bool take_over();
  void cannot(Status const& why);

  log::SharedLog& log_;
  engine::FollowedLog& followed_;
  TurnClock& clock_;
  env::Notes& notes_;
  DaemonAlerts& alerts_;
  bool is_taken_over_{false};
  bool is_taking_over_{false};
  bool is_candidate_{true};
  bool is_leaving_{false};
  bool is_misfit_{false};
  std::int64_t differs_since_us_{INT64_MAX};
  std::int64_t look_at_us_{INT64_MAX};
};

}  // namespace fastjournal::server
