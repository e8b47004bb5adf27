// Made by ./mk generate from plugins/journal/journal.xml: do not edit.
// clang-format off
// The parameters of each command of journal tables, and the options of a table. A reader takes from a command what it
// was given; false: a value is refused, and the decision says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/table.h"
#include "model/given.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/lease_times.h"
#include "plugins/rows/table_type.h"
#include "plugins/rows/timers.h"
#include "plugins/rows/words.h"

namespace fastjournal::journal::made {

enum class InsertWhenFailed : std::uint8_t { wait, fail, go_on };
inline constexpr std::string_view kInsertWhenFailedWords[] = {"wait", "fail", "go-on"};
[[nodiscard]] constexpr std::string_view name_of(InsertWhenFailed one) {
  return kInsertWhenFailedWords[static_cast<std::size_t>(one)];
}
enum class AfterGroupIsChoice : std::uint8_t { ended, done, failed };
inline constexpr std::string_view kAfterGroupIsChoiceWords[] = {"ended", "done", "failed"};
[[nodiscard]] constexpr std::string_view name_of(AfterGroupIsChoice one) {
  return kAfterGroupIsChoiceWords[static_cast<std::size_t>(one)];
}
enum class StatusChoice : std::uint8_t { waiting, due, processing, behind, blocked, parked, paused };
inline constexpr std::string_view kStatusChoiceWords[] = {
    "waiting", "due", "processing", "behind", "blocked", "parked", "paused"
};
[[nodiscard]] constexpr std::string_view name_of(StatusChoice one) {
  return kStatusChoiceWords[static_cast<std::size_t>(one)];
}
enum class EndChoice : std::uint8_t { done, failed, expired, deleted, attempt };
inline constexpr std::string_view kEndChoiceWords[] = {"done", "failed", "expired", "deleted", "attempt"};
[[nodiscard]] constexpr std::string_view name_of(EndChoice one) {
  return kEndChoiceWords[static_cast<std::size_t>(one)];
}
enum class StateChoice : std::uint8_t { open, closed };
inline constexpr std::string_view kStateChoiceWords[] = {"open", "closed"};
[[nodiscard]] constexpr std::string_view name_of(StateChoice one) {
  return kStateChoiceWords[static_cast<std::size_t>(one)];
}
enum class HowChoice : std::uint8_t { delete_word, fail };
inline constexpr std::string_view kHowChoiceWords[] = {"delete", "fail"};
[[nodiscard]] constexpr std::string_view name_of(HowChoice one) {
  return kHowChoiceWords[static_cast<std::size_t>(one)];
}
enum class PerChoice : std::uint8_t { minute, hour };
inline constexpr std::string_view kPerChoiceWords[] = {"minute", "hour"};
[[nodiscard]] constexpr std::string_view name_of(PerChoice one) {
  return kPerChoiceWords[static_cast<std::size_t>(one)];
}
enum class OverlapChoice : std::uint8_t { skip, one, all };
inline constexpr std::string_view kOverlapChoiceWords[] = {"skip", "one", "all"};
[[nodiscard]] constexpr std::string_view name_of(OverlapChoice one) {
  return kOverlapChoiceWords[static_cast<std::size_t>(one)];
}
enum class CatchUpChoice : std::uint8_t { none, last, all };
inline constexpr std::string_view kCatchUpChoiceWords[] = {"none", "last", "all"};
[[nodiscard]] constexpr std::string_view name_of(CatchUpChoice one) {
  return kCatchUpChoiceWords[static_cast<std::size_t>(one)];
}
enum class TableWhenFailed : std::uint8_t { parked, delete_word };
enum class WhenUniqueChoice : std::uint8_t { tell, refuse };

// INSERT. Adds a row, or merges it into the row of the same key that waits; in a table without row-key always adds one.
struct Insert {
  std::uint8_t priority{100};  // the smallest is first; or a word of the option priority-words, as NOW
  std::optional<std::int64_t> process_date{};  // not to be handed out before; now if absent; at least insertion_date
  // not to be handed out from then on, after process_date; 0 or absent: never
  std::optional<std::int64_t> expiration_date{};
  // the producer's date of this data; older than the one accepted last: nothing changes; further in the future than
  // max-clock-skew: refused
  std::optional<std::int64_t> insertion_date{};
  model::Text client{};  // the producer's name for this start of it; with sequence: resent inserts are done once
  std::optional<std::uint64_t> sequence{};  // the number of this insert by this client
  // rows of this table that it waits for, up to 1000: their numbers, with blanks between; those that have ended are not
  // waited for
  model::Text after{};
  // the same by the keys of a table whose row-key is one column, all rows of each key: keys with blanks between, or
  // each on a line of its own
  model::Text after_keys{};
  // what it does when one of these fails (is parked, deleted or expires): it waits on (wait, if absent), it fails too,
  // or it runs all the same
  std::optional<InsertWhenFailed> when_failed{};
  // it is of this group of jobs, which is made if it is not there; without open it ends once all its rows have
  model::Text group{};
  model::Text after_group{};  // it waits for this group of jobs
  // until all rows of that group have ended (ended, if absent), until all have been done, or until one has failed
  std::optional<AfterGroupIsChoice> after_group_is{};
  // words that find the row, with commas between them: at most 16 of 64 bytes, of letters, digits and . _ : / @ + # -
  model::Text tags{};
  std::optional<std::uint8_t> max_attempts{};  // of this row, in place of the option max-attempts
  // how long this row rests after a failed attempt, in place of the option back-off: doubling, linear, sidekiq, or
  // durations as in 10s,1m,10m
  model::Text back_off{};
  // how long the work on this row may take, unless NEXT says it; within processing-timeout-min and -max
  std::optional<std::int64_t> lease{};
  // for so long after this row is done no further row of its key is taken; 0 or absent: as the option unique-for says;
  // not without row-key
  std::optional<std::int64_t> unique_for{};

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::PriorityNames const& names);
};

// NEXT. Leases the next rows that are due; NOTHING gives the date of the next one.
struct Next {
  model::Text domain{};  // rows of this domain only
  std::uint32_t count{1};  // how many rows at most
  std::int64_t lease{0};  // how long the work may take
  std::int64_t wait{0};  // how long to wait for a row when nothing is due; needs request
  bool places{false};  // 1: of columns that are kept in files, their places, for a reader on the same computer
  // 1: the rows are done at once, without a lease: none is given out twice, and one whose answer or worker is lost is
  // lost
  bool done{false};

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// TOUCH. Renews a lease, and takes it over on a new connection.
struct Touch {
  std::uint64_t row{0};  // the row's number
  std::uint64_t epoch{0};  // the epoch of the lease
  std::int64_t lease{0};  // how long from now

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// PROGRESS. Says how far the work on a leased row is, for all who look at it; replaces what was said before under this
// lease, and ends with it. With lease it renews the lease as well.
struct Progress {
  std::uint64_t row{0};  // the row's number
  std::uint64_t epoch{0};  // the epoch of the lease
  std::uint8_t percent{0};  // how much of it is done
  model::Text note{};  // what is being done, for people; empty while memory is short
  std::optional<std::int64_t> lease{};  // how long from now; if absent the lease ends as before

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// DONE. The work is done: the row is deleted. With next=1 the answer of a NEXT follows.
struct Done {
  std::uint64_t row{0};  // the row's number
  std::uint64_t epoch{0};  // the epoch of the lease
  bool next{false};  // 1: lease the next row as well
  model::Text domain{};  // with next=1: a row of this domain only
  model::Text result{};  // what came of it, for who waits for the row (WAIT) and for HISTORY

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// RELEASE. Gives a row back. Without an error it is due again and nothing is counted; with one it is a failed attempt:
// it rests for the table's back-off, or is given up.
struct Release {
  std::uint64_t row{0};  // the row's number
  std::uint64_t epoch{0};  // the epoch of the lease
  // when it may be handed out again; if absent: now, or after the back-off of a failed attempt
  std::optional<std::int64_t> process_date{};
  model::Text error{};  // what went wrong, for people. Makes it a failed attempt
  model::Text error_trace{};  // where it went wrong, as a traceback, for people. Makes it a failed attempt
  model::Text error_class{};  // what kind of error it is, for programs: TimeoutError, a code; rows are found by it
  std::optional<bool> failed{};  // 1: a failed attempt, also without error; 0: none, also with one

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// FAIL. This row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt.
struct Fail {
  std::uint64_t row{0};  // the row's number
  std::uint64_t epoch{0};  // the epoch of the lease
  model::Text error{};  // why, for people
  model::Text error_trace{};  // where it went wrong, as a traceback, for people
  model::Text error_class{};  // what kind of error it is, for programs: TimeoutError, a code; rows are found by it

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// DELETE. Drops a row, all rows of a key, or a page of the rows that fit a filter, in whatever state.
struct Delete {
  // the row's number; or else the key columns (of a table with row-key), or a filter
  std::optional<std::uint64_t> row{};
  std::optional<StatusChoice> status{};  // many rows: in this state only
  model::Text domain{};  // many rows: of this domain only
  model::Text prefix{};  // many rows: whose first key column begins so; not without row-key
  model::Text error{};  // many rows: whose last error contains this
  model::Text error_class{};  // many rows: whose last error is of this class
  model::Text tag{};  // many rows: with this tag only
  std::uint64_t after{0};  // many rows: go on behind this row, as the answer before said
  std::uint32_t count{1'000};  // many rows: how many at most
  bool dry_run{false};  // many rows: 1 counts them and changes nothing

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// KICK. Puts parked rows back to work, or makes a waiting row due now; or does so with a page of the rows that fit a
// filter.
struct Kick {
  // the row's number; or else the key columns (of a table with row-key), or a filter
  std::optional<std::uint64_t> row{};
  std::optional<StatusChoice> status{};  // many rows: in this state only; parked if absent
  model::Text domain{};  // many rows: of this domain only
  model::Text prefix{};  // many rows: whose first key column begins so; not without row-key
  model::Text error{};  // many rows: whose last error contains this
  model::Text error_class{};  // many rows: whose last error is of this class
  model::Text tag{};  // many rows: with this tag only
  std::uint64_t after{0};  // many rows: go on behind this row, as the answer before said
  std::uint32_t count{1'000};  // many rows: how many at most
  bool dry_run{false};  // many rows: 1 counts them and changes nothing

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// PEEK. Shows a row, or the rows of a key, without leasing; of a key the last message has `after` if there are more.
struct Peek {
  std::optional<std::uint64_t> row{};  // the row's number; or else the key columns (of a table with row-key)
  std::uint64_t after{0};  // of a key: go on behind this row, as the page before said
  std::uint32_t count{1'000};  // of a key: how many rows at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// LIST. Shows rows by their number, a page at a time; the last message has `after` if there is more to look at.
struct List {
  std::optional<StatusChoice> status{};  // rows in this state only
  model::Text domain{};  // rows of this domain only
  model::Text prefix{};  // rows whose first key column begins so; not without row-key
  model::Text error{};  // rows whose last error contains this
  model::Text error_class{};  // rows whose last error is of this class
  model::Text tag{};  // rows with this tag only
  std::uint64_t after{0};  // go on behind this row, as the page before said
  std::uint32_t count{100};  // how many rows at most
  bool traces{false};  // 1: with the traces of last errors

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// COUNT. Counts the rows that LIST would show, a page at a time; the answer has `after` if there is more to look at.
struct Count {
  std::optional<StatusChoice> status{};  // rows in this state only
  model::Text domain{};  // rows of this domain only
  model::Text prefix{};  // rows whose first key column begins so; not without row-key
  model::Text error{};  // rows whose last error contains this
  model::Text error_class{};  // rows whose last error is of this class
  model::Text tag{};  // rows with this tag only
  std::uint64_t after{0};  // go on behind this row, as the answer before said
  std::uint32_t count{10'000};  // count so many rows at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// WHY. Says in a sentence, and in parameters for programs, why a row, or each row of a key, is where it is; of a key
// the last message has `after` if there are more.
struct Why {
  std::optional<std::uint64_t> row{};  // the row's number; or else the key columns (of a table with row-key)
  std::uint64_t after{0};  // of a key: go on behind this row, as the page before said
  std::uint32_t count{1'000};  // of a key: how many rows at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// HISTORY. Shows what is left of rows that ended, and of attempts that failed, the newest first, a page at a time; the
// last message has `after` if there is more to look at, and says how far it is. Of tables with keep-done.
struct History {
  std::optional<std::uint64_t> row{};  // of this row only; or else key columns, all of them or none
  model::Text tag{};  // rows with this tag only
  std::optional<EndChoice> end{};  // only what ended so: a row, or a failed attempt; rows and attempts if absent
  std::optional<std::int64_t> from_date{};  // ended at this date or later
  std::optional<std::int64_t> to_date{};  // ended at this date or before
  model::Text error{};  // whose error contains this: what has an error is read for it, so that it takes many calls
  std::optional<std::uint64_t> after{};  // go on behind this entry, as the page before said
  std::uint32_t count{100};  // how many entries at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// WAIT. Waits until a row has ended, or was given up, and says how, with its result.
struct Wait {
  // the row's number; or else the key columns: then the row of the key that is there, the newest one
  std::optional<std::uint64_t> row{};
  std::int64_t wait{0};  // how long to wait; needs request

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// REDO. Puts a row that ended into the table again, as a new row; what is given here is in place of what it had. Of
// tables with keep-done.
struct Redo {
  std::uint64_t row{0};  // the number of the row that ended
  std::optional<std::uint8_t> priority{};  // another priority
  std::optional<std::int64_t> process_date{};  // not to be handed out before; now if absent
  std::optional<std::int64_t> expiration_date{};  // not to be handed out from then on; 0 or absent: never

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::PriorityNames const& names);
};

// TIMELINE. Counts rows by when they fall due: those that are, and each second of the next minute, minute of the next
// hour, hour of the next day; of a large table a page at a time.
struct Timeline {
  model::Text domain{};  // rows of this domain only
  // the begin of the timeline, in milliseconds since 1970: of the page before; the daemon's time if absent
  std::optional<std::uint64_t> now{};
  std::uint32_t after{0};  // go on here, as the page before said

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// DOMAINS. Shows the domains that have rows, with their turns and limits, a page at a time; the last message has
// `after` if there is more to look at.
struct Domains {
  std::uint32_t after{0};  // go on here, as the page before said
  std::uint32_t count{100};  // how many domains at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// GROUP. Makes a group of jobs that stays open, and so does not end, until it is closed; or closes it.
struct Group {
  std::string_view group{};  // its name
  // open, if absent: it is made, or opened again before it has ended; closed: it ends once all its rows have
  std::optional<StateChoice> state{};

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// GROUPS. Shows groups of jobs with the counts of their rows, oldest first, a page at a time; the last message has
// `after` if there are more.
struct Groups {
  model::Text group{};  // this one only
  std::uint64_t after{0};  // go on behind this group, as the page before said
  std::uint32_t count{100};  // how many groups at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// CANCEL. Ends the rows of a group of jobs that have not ended, in whatever state, a page at a time, and closes it. Who
// has leased one is told with its next command: that lease is over.
struct Cancel {
  std::string_view group{};  // its name
  std::optional<HowChoice> how{};  // delete, if absent; or fail: they are parked, or deleted (when-failed)
  std::uint64_t after{0};  // go on behind this row, as the answer before said
  std::uint32_t count{1'000};  // how many rows at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// GRAPH. Shows rows with what they wait for: those of a group of jobs, by number, a page at a time; or a row, what it
// waits for and what waits for it, step by step.
struct Graph {
  model::Text group{};  // the rows of this group; or else row
  std::optional<std::uint64_t> row{};  // this row and those around it
  std::uint64_t after{0};  // of a group: go on behind this row, as the page before said
  std::uint32_t count{200};  // how many rows at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// FIGURES. Shows what happened in each minute of the last day, or each hour of the last 31 days, the oldest first, a
// page at a time; of a table with keep-figures. What did not happen is left out.
struct Figures {
  std::optional<PerChoice> per{};  // how long each is; a minute if absent
  std::optional<std::int64_t> since{};  // those that begin at this date or later
  std::optional<std::int64_t> until{};  // those that begin before this date
  std::uint64_t after{0};  // go on behind this date, as the page before said
  std::uint32_t count{100};  // how many at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// PAUSE. Nothing is handed out any more; leases go on, inserts are taken. With schedule: its dates make no rows.
struct Pause {
  model::Text reason{};  // why, for people
  model::Text schedule{};  // this schedule of the table, and not the table

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// RESUME. Ends a PAUSE or DRAIN; who waits for work is told. With schedule: of the dates that it missed it does what
// its catch_up says.
struct Resume {
  model::Text reason{};  // why, for people
  model::Text schedule{};  // this schedule of the table, and not the table

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// SCHEDULE. Makes a schedule, which inserts a row at each of its dates, or changes the one of this name to what is
// given; with the columns of its rows.
struct Schedule {
  std::string_view schedule{};  // its name: letters, digits and _ - . : of ASCII, a letter or digit first
  model::Text cron{};  // its dates, as a cron expression of five or six fields; or else every
  // its dates are so far apart; the first is at begins, or they are a whole number of these behind 1970
  std::optional<std::int64_t> every{};
  model::Text time_zone{};  // whose clock cron is about: UTC if absent, or Europe/Berlin
  std::int64_t jitter{0};  // its rows are due up to so much later, always the same for a date
  std::optional<std::int64_t> begins{};  // no date before this one; 0 or absent: from now on
  std::optional<std::int64_t> ends{};  // no date behind this one; 0 or absent: for ever
  // while a row of it has not ended, the next date makes none (skip, if absent); or one waits for the end of that row;
  // or all make theirs
  std::optional<OverlapChoice> overlap{};
  // which dates that came while none could be made make a row after all; last if absent
  std::optional<CatchUpChoice> catch_up{};
  std::int64_t catch_up_window{86'400'000};  // of these dates none that is older; 0: however old
  std::uint32_t catch_up_max{100};  // with catch_up=all: the last so many of them
  // it pauses itself when so many of its rows failed or expired one after the other; 0: never
  std::uint32_t pause_after{0};
  std::int64_t alert_after{0};  // the alert schedule-late is raised when no row of it was done for so long; 0: never
  std::uint8_t priority{100};  // of its rows
  std::int64_t expires_in{0};  // its rows expire so long after their dates; 0: never

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::PriorityNames const& names);
};

// UNSCHEDULE. Removes a schedule; its rows stay.
struct Unschedule {
  std::string_view schedule{};  // its name

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// SCHEDULES. Shows the schedules with their next dates and what became of the last one, by their numbers, a page at a
// time; the last message has `after` if there are more.
struct Schedules {
  model::Text schedule{};  // this one only
  std::uint8_t dates{0};  // with so many of the next dates of each
  std::uint64_t after{0};  // go on behind this schedule, as the page before said
  std::uint32_t count{100};  // how many schedules at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// TRIGGER. A row of a schedule at once, whatever its dates and its overlap say; also of one that is paused.
struct Trigger {
  std::string_view schedule{};  // its name

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// BACKFILL. A row for each date of a schedule in a range that is past, a page at a time: the same command goes on
// behind the page before, and makes none once all are there.
struct Backfill {
  std::string_view schedule{};  // its name
  std::int64_t from_date{0};  // the first date, at the earliest
  std::int64_t to_date{0};  // the last date, at the latest; not in the future
  std::uint32_t count{100};  // how many rows at most

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// The options of a table; durations are ms, sizes bytes.
struct Options {
  // what becomes of a row that is given up: parked, for an operator; or deleted. An alert is raised either way
  TableWhenFailed when_failed{TableWhenFailed::parked};
  // how far merges may push a row's process date beyond its arrival; not without row-key
  std::int64_t max_postpone{3'600'000};
  // an INSERT whose insertion_date is further in the future is refused: a clock that is fast would shadow all others;
  // 0: none is
  std::int64_t max_clock_skew{10'000};
  // for so long after a row is done no further row of its key is taken, unless the row says it; 0: one is; not without
  // row-key
  std::int64_t unique_for{0};
  // what an insert gets that is not taken for that: result=unique with the row that is done; or the error wrong_state
  WhenUniqueChoice when_unique{WhenUniqueChoice::tell};
  // rows are found by their tags without looking at others, for some 40 bytes of memory a tag of a row
  bool tag_index{false};
  std::uint32_t rows_max{0};  // inserts of new rows are refused from here on; 0: no limit
  std::uint64_t memory_max{0};  // inserts of new rows are refused when rows take so many bytes of memory; 0: no limit
  // string and buffer columns of this size and more are kept in files of the table, not in memory and the log; at least
  // 16KiB; 0: none
  std::uint64_t spill{0};
  // how long what is left of rows that ended, and of failed attempts, is kept for HISTORY, in files of the table; 0:
  // nothing is kept
  std::int64_t keep_done{0};
  // the newest so many entries of it at least are kept, and the oldest beyond dropped; 0: no limit
  std::uint32_t keep_done_rows{0};
  std::uint64_t keep_done_bytes{0};  // the oldest of it are dropped when its files take more; 0: no limit
  // how many clients' names and sequence numbers are remembered; one origin may have half of them
  std::uint32_t clients_max{100'000};
  std::uint32_t groups_max{100'000};  // groups of jobs that are there at once; more are refused
  // what happens is kept in figures of each minute for a day and of each hour for 31 days, also over restarts: one
  // record in a minute in which something happened
  bool keep_figures{false};
  // the table pauses itself, and raises the alert paused, when so many rows failed without one DONE between; 0: never
  std::uint32_t pause_after_failures{0};
  rows::LeaseTimes times{};
  rows::Lifetimes lifetimes{};
  rows::AttemptRules attempts{};
  rows::Words words{};

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
};

}  // namespace fastjournal::journal::made
