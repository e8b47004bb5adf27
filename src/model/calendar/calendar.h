// When something repeats: a cron expression of five or six fields, or `every 10m`. doc/schedules.md has the language
// and its rules. Pure: the date and the time zone are arguments, and nothing is allocated but by parse().
//
// The dates of an expression are those of the clock on the wall of a zone. Where that clock is put forward, the times
// that it leaves out are the first instant behind the gap, once, unless the expression has every hour: its hours follow
// each other without them. Where it is put back, an expression whose seconds, minutes and hours are numbers has a time
// that comes twice only the first time; one with `*` or a step there has both. This is the rule of vixie cron (and of
// croner), but that those leave out times in a gap also where only the minutes have a `*`, or the hours a step: then a
// day could pass without its job.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "fastjournal/zones.h"

namespace fastjournal::model {

class Calendar {
 public:
  static constexpr std::size_t kTextBytesMax = 256;
  // The period of `every`, at least and at most.
  static constexpr DurationMs kEveryMin{1000};
  static constexpr DurationMs kEveryMax{std::int64_t{3660} * 86'400'000};
  // Dates are before this one, 2400-01-01.
  static constexpr TimeMs kEnd{13'569'465'600'000};

  // `anchor`: the dates of `every` are a whole number of periods before or behind it; of no use to others. Not ok: the
  // text is wrong, or has no date (31 February). The message says which field, and what was expected.
  [[nodiscard]] static Result<Calendar> parse(std::string_view text, TimeMs anchor = {});

  // The first date that is later than `after`; TimeMs::max(): there is none.
  [[nodiscard]] TimeMs next(TimeMs after, Zone const& zone) const;
  // The last date that is earlier than `before` and later than `after`; TimeMs{INT64_MIN}, kNone: there is none. Takes
  // some forty times as long as next(), however many dates there are in between.
  static constexpr TimeMs kNone{INT64_MIN};
  [[nodiscard]] TimeMs last(TimeMs after, TimeMs before, Zone const& zone) const;
  // How many dates are later than `after` and earlier than `before`, counted up to `max`.
  [[nodiscard]] std::uint64_t count(TimeMs after, TimeMs before, Zone const& zone, std::uint64_t max) const;

  [[nodiscard]] bool is_interval() const { return every_ms_ != 0; }

 private:
  friend class CalendarReader;
  struct Day;  // of the wall's calendar

  [[nodiscard]] bool has_day(Day const& day) const;
  [[nodiscard]] bool has_weekday(Day const& day) const;
  [[nodiscard]] std::int64_t at_or_after(std::int64_t local_s) const;
  [[nodiscard]] std::int64_t in_day(std::int64_t second_of_day) const;
  [[nodiscard]] TimeMs next_of_interval(std::int64_t after_ms) const;
  // In the 400 years that the calendar repeats.
  [[nodiscard]] bool has_any_date() const;

  // Bits of the values of a field: 0 is the first.
  std::uint64_t seconds_{0};
  std::uint64_t minutes_{0};
  std::uint32_t hours_{0};
  std::uint32_t days_{0};       // 1 to 31
  std::uint32_t from_last_{0};  // days before the last one: 0 is L, 3 is L-3
  std::uint32_t nearest_{0};    // 1 to 31: the working day nearest to it; 0: to the last day
  std::uint16_t months_{0};     // 1 to 12
  std::uint8_t weekdays_{0};    // 0 is Sunday
  std::uint8_t last_weekdays_{0};
  std::uint8_t nth_weekdays_[5]{};  // the first Sunday, ..., the fifth Saturday
  bool any_day_{false};             // the day of the month is `*` or `?`
  bool any_weekday_{false};         // the day of the week is
  bool both_{false};                // the day of the month and that of the week, not one of them
  bool each_hour_{false};
  bool repeats_{false};  // it has both of the local times that come twice
  std::int64_t every_ms_{0};
  std::int64_t anchor_ms_{0};
};

// How much later than its date something starts, so that not everything starts at once: 0 to `width`, always the same
// for a name and a date.
[[nodiscard]] DurationMs jitter(std::string_view name, TimeMs date, DurationMs width);

}  // namespace fastjournal::model
