// Schedules as the log knows them: what makes rows at dates, and what has become of these. The record `schedule` states
// one whole: it begins, is changed, or is compacted. `schedule_ran` moves it to its next date and says what the one
// before has done; it is in one group with the row that it made, so that a crash leaves both or neither. What a row
// does later stands in the records of rows (Schedules::follow).
//
// Next dates are stated and never computed again: a replay needs neither calendar nor time zones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/limits.h"
#include "fastjournal/message.h"
#include "fastjournal/zones.h"
#include "model/body.h"
#include "model/calendar/calendar.h"
#include "model/timer/wheel.h"

namespace fastjournal::rows {

enum class ScheduleRecord : std::uint8_t {
  schedule = 32,
  schedule_ran = 33,
  schedule_dropped = 34,
  schedule_state = 35,  // paused, or not any more
};

// All of one schedule is stated by one step (kStepBytesMax), whatever it has.
inline constexpr std::size_t kScheduleNameBytesMax = 64;
inline constexpr std::size_t kScheduleColumnsBytesMax = std::size_t{6} << 10U;
inline constexpr std::uint64_t kScheduleColumnsMax = 200;
inline constexpr std::size_t kScheduleRunsMax = 500;  // rows of it that have not ended
inline constexpr std::size_t kScheduleBackfillsMax = 8;
inline constexpr std::uint32_t kCatchUpMax = 1000;

// While a row of it has not ended, the next date
enum class Overlap : std::uint8_t {
  skip,  // makes none
  one,   // waits until that row ends; further ones make none
  all,   // makes one all the same
};
// Of the dates that came while no row could be made
enum class CatchUp : std::uint8_t { none, last, all };
enum class RunResult : std::uint8_t { none, running, done, failed, expired, deleted };

// No date comes any more; the next one is to be looked for.
inline constexpr std::int64_t kNoDate = timer::kDateMax;
inline constexpr std::int64_t kUnknownDate = 0;

// A column of its rows, as it was given.
struct ScheduleColumn {
  std::string_view name{};
  Value value{};
  static void fields(auto& io, auto& column) {
    io.text(column.name).byte(column.value.kind, Value::Kind::boolean).byte(column.value.verbatim, true);
    bool const has_bytes = column.value.kind == Value::Kind::text || column.value.kind == Value::Kind::binary;
    if (has_bytes)
      io.text(column.value.bytes);
    else
      io.fixed(column.value.unsigned_integer);
  }
};
struct ScheduleColumns {
  std::vector<ScheduleColumn> all{};
  static void fields(auto& io, auto& body) {
    io.list(
        body.all, [&](auto& one) { ScheduleColumn::fields(io, one); }, kScheduleColumnsMax);
  }
};

// What people say of it.
struct ScheduleRules {
  std::string name{};
  std::string expression{};  // model::Calendar
  std::string zone{};        // empty: UTC
  std::string columns{};     // the bytes of ScheduleColumns
  std::int64_t jitter{0};
  std::int64_t begins{0};  // no date before it; 0: at once
  std::int64_t ends{0};    // none behind it; 0: never
  Overlap overlap{Overlap::skip};
  CatchUp catch_up{CatchUp::last};
  std::int64_t window{0};  // dates that are older make no row; 0: however old
  std::uint32_t catch_up_max{0};
  std::uint32_t pause_after{0};  // rows that fail one after the other; 0: never
  std::int64_t alert_after{0};   // without a row that is done; 0: never
  std::uint8_t priority{0};
  std::int64_t lifetime{0};  // of its rows; 0: they do not expire
  bool is_declared{false};   // by the table's file

  bool operator==(ScheduleRules const&) const = default;
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kDeclared = 1;
    auto has = io.flags(kDeclared);
    io.set(body.is_declared, has(kDeclared, body.is_declared));
    io.text8(body.name).text(body.expression).text8(body.zone).text(body.columns);
    io.must(!body.name.empty() && body.name.size() <= kScheduleNameBytesMax);
    io.must(body.expression.size() <= model::Calendar::kTextBytesMax && body.zone.size() <= kZoneNameBytesMax);
    io.must(body.columns.size() <= kScheduleColumnsBytesMax);
    io.number(body.jitter).number(body.begins).number(body.ends);
    io.byte(body.overlap, Overlap::all).byte(body.catch_up, CatchUp::all).number(body.window);
    io.number(body.catch_up_max).number(body.pause_after).number(body.alert_after);
    io.byte(body.priority).number(body.lifetime);
    for (std::int64_t const span : {body.jitter, body.begins, body.ends, body.window, body.alert_after, body.lifetime})
      io.must(span >= 0 && span <= timer::kDateMax);
  }
};

// Whether it stands still, and who said so.
struct SchedulePause {
  bool is_paused{false};
  bool by_itself{false};
  std::int64_t since{0};  // since when it is paused, or runs as it does
  std::string by{};
  std::string reason{};
  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kPaused = 1;
    constexpr std::uint8_t kByItself = 2;
    auto has = io.flags(std::uint8_t{3});
    io.set(body.is_paused, has(kPaused, body.is_paused)).set(body.by_itself, has(kByItself, body.by_itself));
    io.must(body.is_paused || !body.by_itself);
    io.six(body.since).text(body.by).text(body.reason);
    io.must(body.by.size() <= kWorkerBytesMax && body.reason.size() <= kReasonBytesMax);
  }
};

// A row of it that has not ended.
struct ScheduleRun {
  ObjectId row{};
  std::int64_t date{0};
};
// The dates of a range, one after the other.
struct Backfill {
  std::int64_t from{0};
  std::int64_t to{0};
  std::int64_t until{0};  // this one and those before have their rows

  static void fields(auto& io, auto& body) { io.six(body.from).six(body.to).six(body.until); }
};

struct ScheduleState {
  SchedulePause pause{};
  std::int64_t next{kUnknownDate};
  std::int64_t waiting{0};  // a date whose row comes when the one before has ended; 0: none
  std::int64_t last_date{0};
  std::int64_t last_success{0};  // the last date whose row was done
  ObjectId last_row{};
  RunResult last_result{RunResult::none};
  std::uint32_t failures_in_row{0};
  std::uint64_t made{0};
  std::uint64_t done{0};
  std::uint64_t failed{0};
  std::uint64_t skipped{0};
  std::uint64_t missed{0};
  std::vector<ScheduleRun> runs{};  // by row
  std::vector<Backfill> backfills{};

  static void fields(auto& io, auto& body) {
    SchedulePause::fields(io, body.pause);
    io.six(body.next).six(body.waiting).six(body.last_date).six(body.last_success).id(body.last_row);
    io.byte(body.last_result, RunResult::deleted).number(body.failures_in_row);
    io.number(body.made).number(body.done).number(body.failed).number(body.skipped).number(body.missed);
    std::uint64_t row = 0;
    std::int64_t date = 0;
    auto const field = [&](auto& run) {
      std::uint64_t behind = run.row.value / kLsnAlign - row;
      std::uint64_t after = model::zigzag(run.date - date);
      io.number(behind).number(after);
      row += behind;
      date += model::unzigzag(after);
      io.set(run.row.value, row * kLsnAlign).set(run.date, date);
      io.must(behind != 0 && row < std::uint64_t{1} << 48U && date >= 0 && date <= timer::kDateMax);
    };
    io.list(body.runs, field, kScheduleRunsMax);
    io.list(
        body.backfills, [&](auto& one) { Backfill::fields(io, one); }, kScheduleBackfillsMax);
    for (std::int64_t const date_of : {body.next, body.waiting, body.last_date, body.last_success})
      io.must(date_of >= 0 && date_of <= timer::kDateMax);
  }
};

struct ScheduleBody {
  static constexpr auto kType = ScheduleRecord::schedule;
  ScheduleRules rules{};
  ScheduleState state{};
  static void fields(auto& io, auto& body) {
    ScheduleRules::fields(io, body.rules);
    ScheduleState::fields(io, body.state);
  }
};

enum class Did : std::uint8_t {
  looked,      // for its next date
  made,        // a row for a date
  waits,       // the date waits for the end of the row before
  skipped,     // the row before has not ended
  triggered,   // a row that a person asked for
  backfilled,  // the row of a date of a range
};

struct ScheduleRanBody {
  static constexpr auto kType = ScheduleRecord::schedule_ran;
  Did did{Did::looked};
  std::int64_t next{kNoDate};
  std::uint32_t missed{0};  // dates before, that make no rows
  std::int64_t date{0};     // not of one that looked
  ObjectId row{};           // of one that made it
  std::int64_t from{0};     // of a range
  std::int64_t to{0};

  [[nodiscard]] static bool makes(Did did) {
    return did == Did::made || did == Did::triggered || did == Did::backfilled;
  }
  static void fields(auto& io, auto& body) {
    io.byte(body.did, Did::backfilled).six(body.next).number(body.missed);
    if (body.did != Did::looked) io.six(body.date);
    if (makes(body.did)) io.id(body.row);
    if (body.did == Did::backfilled) io.six(body.from).six(body.to);
  }
};

struct ScheduleStateBody {
  static constexpr auto kType = ScheduleRecord::schedule_state;
  SchedulePause pause{};
  static void fields(auto& io, auto& body) { SchedulePause::fields(io, body.pause); }
};
using ScheduleDroppedBody = model::EmptyBody<ScheduleRecord::schedule_dropped>;

}  // namespace fastjournal::rows
