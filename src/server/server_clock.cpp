// Clocks (time_keeper.h): which ones a start accepts, and time that is lost while the daemon runs.
#include <string>

#include "model/date.h"
#include "model/duration.h"
#include "server/server.h"

namespace fastjournal::server {
namespace {

// A clock that is ahead is accepted. Steps larger than these, while running and since the last date of the log, raise
// an alert: rows that such a clock makes due or drops are not restored.
constexpr DurationMs kAheadAfterStep{86'400'000};
constexpr DurationMs kAheadAtStart{30 * 86'400'000LL};

std::string date(TimeMs when) { return model::format_date(when.value); }
std::string span(DurationMs how_long) { return model::format_span(how_long.value); }

}  // namespace

// ---------------------------------------------------------------------------
// Starts

Status Server::check_clock(core::HostedLog const& log) {
  TimeMs const last = log.catalogue.last_now();
  TimeMs const wall{time_.clock().wall_us() / 1000};
  if (clock_rules_.accept || last <= wall + clock_rules_.behind_max) return {};
  return {Code::wrong_state,
          "log " + log.name + " knows of " + date(last) + ", and this computer's clock says " + date(wall) + ", " +
              span(last - wall) + " behind; max-clock-behind is " +
              model::format_duration(clock_rules_.behind_max.value) +
              ". If the clock is wrong, set it and start again. If it is right, and was ahead when the log was "
              "written, start once with --accept-clock. Nothing was changed"};
}

Status Server::begin_time() {
  time_.begin();
  TimeMs const last = engine_.last_now();
  TimeMs const wall = time_.now();
  if (last.value == 0 || last == wall) return {};
  if (last > wall && clock_rules_.accept) {
    clock_note_ = "accepted: " + date(wall) + " is now, though the log knows of " + date(last);
    return engine_.accept_clock(wall);
  }
  if (last > wall) {
    clock_note_ = span(last - wall) + " behind the log's last date, " + date(last) +
                  ": that is now, and time goes "
                  "slower until the clock has come there";
    time_.begin_at(last);
    return {};
  }
  if (wall - last <= kAheadAtStart) return {};
  clock_note_ = span(wall - last) + " ahead of the log's last date, " + date(last);
  engine_.raise_alert(kClockAhead, 40,
                      "the clock said " + date(wall) + " at the start, " + clock_note_ +
                          ": if that is wrong, stop, set the clock, and start with --accept-clock",
                      "clock,manual");
  return {};
}

// ---------------------------------------------------------------------------
// While it runs

void Server::on_clock_set() {
  time_.clock_was_set();
  slew_at_us_ = time_.monotonic_us();  // a clock that was set back is an alert at once
}

void Server::lose_time(TimeKeeper::Lost const& lost) {
  using Why = core::Catalogue::Clock::Why;
  if (lost.slept.value != 0) {
    host_.inform("the computer slept for " + span(lost.slept) + ": leases end so much later");
    engine_.lose_time(Why::slept, lost.slept, now_);
  }
  if (lost.set.value == 0) return;
  std::string const text = "the wall clock was set forward by " + span(lost.set) + ", to " + date(now_);
  host_.inform(text + ": leases end so much later");
  engine_.lose_time(Why::set, lost.set, now_);
  if (lost.set < kAheadAfterStep) return;
  raise_alert(kClockAhead, 40, text + ": if that is wrong, stop, set the clock, and start with --accept-clock",
              "clock,manual");
}

}  // namespace fastjournal::server
