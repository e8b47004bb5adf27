// Once a second, while anything is wrong: the wall clock, room on disks and in memory, and clients' memory. It raises
// and lowers the alert of the clock, and asks the engine and the memory guard to lower theirs. While all is well only
// `now` is slewed, in turns that happen anyway. Owned by the server.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/env/network.h"
#include "engine/engine.h"
#include "log/alert_book.h"
#include "server/daemon_alerts.h"
#include "server/session/memory_guard.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

// The wall clock is more than a second behind `now`.
inline constexpr std::string_view kClockJump = "clock-jump";

class Health {
 public:
  Health(TurnClock& clock, engine::Engine& engine, DaemonAlerts& alerts, env::Network& network)
      : clock_(clock), engine_(engine), alerts_(alerts), network_(network) {}

  // At the start, after recovery.
  void begin();
  // At the end of each turn.
  void check_if_due(std::int64_t monotonic_us, MemoryGuard& guard) {
    if (monotonic_us < check_at_us_) return;
    check_at_us_ = monotonic_us + TimeKeeper::kSlewEveryUs;
    check(guard);
  }
  // INT64_MAX: nothing is wrong.
  [[nodiscard]] std::int64_t next_us() const { return is_unwell_ ? check_at_us_ : INT64_MAX; }
  // Alerts of the daemon are checked until they are over, also without clients.
  void note(log::AlertNotice const& notice) { is_unwell_ = is_unwell_ || (notice.up && notice.alert.table.empty()); }
  // A clock that was set back is an alert at once.
  void clock_was_set() { check_at_us_ = clock_.monotonic_us(); }

 private:
  void check(MemoryGuard& guard);

  TurnClock& clock_;
  engine::Engine& engine_;
  DaemonAlerts& alerts_;
  env::Network& network_;
  std::int64_t check_at_us_{0};
  bool is_unwell_{false};
};

}  // namespace fastjournal::server
