#include "server/turn_clock.h"

#include "model/date.h"
#include "model/duration.h"

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

Status TurnClock::check(engine::HostedLog const& log) {
  TimeMs const last = log.catalogue.last_now();
  TimeMs const wall{time_.clock().wall_us() / 1000};
  if (rules_.accept || last <= wall + rules_.behind_max) return {};
  return {Code::wrong_state,
          "log " + log.name + " knows of " + date(last) + ", and this computer's clock says " + date(wall) + ", " +
              span(last - wall) + " behind; max-clock-behind is " + model::format_duration(rules_.behind_max.value) +
              ". If the clock is wrong, set it and start again. If it is right, and was ahead when the log was "
              "written, start once with --accept-clock. Nothing was changed"};
}

Status TurnClock::begin() {
  time_.begin();
  TimeMs const last = engine_.time_corrections().last_now();
  TimeMs const wall = time_.now();
  if (last.value == 0 || last == wall) return {};
  if (last > wall && rules_.accept) {
    start_note_ = "accepted: " + date(wall) + " is now, though the log knows of " + date(last);
    return engine_.time_corrections().accept_clock(wall);
  }
  if (last > wall) {
    start_note_ = span(last - wall) + " behind the log's last date, " + date(last) +
                  ": that is now, and time goes "
                  "slower until the clock has come there";
    time_.begin_at(last);
    return {};
  }
  if (wall - last <= kAheadAtStart) return {};
  start_note_ = span(wall - last) + " ahead of the log's last date, " + date(last);
  alerts_.raise(kClockAhead, 40,
                "the clock said " + date(wall) + " at the start, " + start_note_ +
                    ": if that is wrong, stop, set the clock, and start with --accept-clock",
                "clock,manual");
  return {};
}

Status TurnClock::come_to(engine::HostedLog const& log) {
  TimeMs const last = log.catalogue.last_now();
  TimeMs const before = now();
  if (last <= before) return {};
  DurationMs const behind = last - before;
  std::string const text = "log " + log.name + " knows of " + date(last) + ", and here it is " + date(before) + ", " +
                           span(behind) + " behind";
  if (behind.value * 1000 <= TimeKeeper::kStepUs) return {Code::unavailable, text};
  if (behind > rules_.behind_max)
    return {Code::wrong_state, text + "; max-clock-behind is " + model::format_duration(rules_.behind_max.value) +
                                   ": set the clocks of all nodes"};
  time_.begin_at(last);
  now_ = last;
  lose({.set = behind, .slept = {}});
  return {};
}

// ---------------------------------------------------------------------------
// While it runs

void TurnClock::look() {
  TimeKeeper::Lost const lost = time_.look();
  now_ = time_.seen();
  is_known_ = true;
  if (lost.any()) lose(lost);
}

void TurnClock::lose(TimeKeeper::Lost const& lost) {
  using Why = log::Catalogue::Clock::Why;
  if (lost.slept.value != 0) {
    notes_.inform("the computer slept for " + span(lost.slept) + ": leases end so much later");
    engine_.time_corrections().lose_time(Why::slept, lost.slept, now_);
  }
  if (lost.set.value == 0) return;
  std::string const text = "the wall clock was set forward by " + span(lost.set) + ", to " + date(now_);
  notes_.inform(text + ": leases end so much later");
  engine_.time_corrections().lose_time(Why::set, lost.set, now_);
  if (lost.set < kAheadAfterStep) return;
  alerts_.raise(kClockAhead, 40, text + ": if that is wrong, stop, set the clock, and start with --accept-clock",
                "clock,manual");
}

}  // namespace fastjournal::server
