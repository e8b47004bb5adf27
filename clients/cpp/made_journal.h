// Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
// clang-format off
// Prioritised, delayed, de-duplicating rows of work with leases, time-outs and expiry. Options, records, calls: for
// journal.h, which has what is special.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/date.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

struct Returned;

// merged: into the waiting row of this key. behind: a worker has the row of this key, and this row waits behind it.
// duplicate: client and sequence are known, nothing changed. stale: the insertion date is older than the row's,
// nothing changed. expired: in a transaction, before the commit.
enum class PutResult : std::uint8_t { inserted, merged, behind, duplicate, stale, expired, unique };

// The row is there, synced.
struct Put {
  std::uint64_t row{0};  // the row's number
  // inserted, merged, behind, duplicate, stale or unique (a row of the key is done, and no further one is taken yet);
  // without row-key inserted or duplicate; of a transaction also expired, without row
  PutResult result{};
  std::uint64_t merges{0};     // how often the row was merged
  TimeMs process_date{};       // not handed out before
  std::uint64_t waits_for{0};  // how many rows and groups it waits for, if any
  std::string date_by{};       // why a merge left another date than was asked for: waiting-row or max-postpone
  TimeMs ended_date{};         // unique: when the row was done
  TimeMs unique_until{};       // unique: until when no further row of the key is taken
};
// From an INSERTED; invalid for any other message.
[[nodiscard]] Result<Put> put_of(Message const& message);

// A row as returned by NEXT or `deliver`, or as shown by PEEK and LIST (epoch 0, unless you may manage; what follows
// `omitted` is only shown).
struct Row {
  std::string table{};                           // the table
  std::uint64_t row{0};                          // the row's number
  std::uint64_t epoch{0};                        // of the lease
  std::map<std::string, std::string> columns{};  // as of text_of(); without absent values
  std::uint8_t priority{0};                      // 0 to 255, the smallest first
  TimeMs process_date{};                         // not handed out before
  TimeMs insertion_date{};                       // the producer's date
  TimeMs lease_end{};                            // when the lease is over
  std::uint64_t timeouts{0};                     // leases that timed out since the last merge
  std::uint64_t attempts{0};                     // time-outs and failures since the last merge or KICK
  // columns not possible on this connection, with commas; use PEEK on another one
  std::string omitted{};
  std::string status{};                     // waiting, due, processing, behind, blocked or parked
  std::string worker{};                     // who has it
  std::string error{};                      // what a worker said last
  std::string error_trace{};                // where it went wrong, as that worker said
  std::uint64_t merges{0};                  // how often it was merged
  std::optional<TimeMs> expiration_date{};  // not handed out from then on
  // shown: the date of the insert accepted last, if it is another; an insert with an older insertion_date is stale
  std::optional<TimeMs> accepted_date{};
};
// From a ROW; invalid for any other message.
[[nodiscard]] Result<Row> row_of(Message const& message);

// Rows whose date is above `from`, and not above `to`.
struct DueRows {
  TimeMs from{};          // 0: any date
  TimeMs to{};            // 0: any date
  std::uint64_t rows{0};  // how many rows
  TimeMs now{};           // the begin of the timeline
};
// From a DUE; invalid for any other message.
[[nodiscard]] Result<DueRows> due_rows_of(Message const& message);

// A domain that has rows.
struct Domain {
  std::string domain{};         // its name; empty: rows without one
  std::uint64_t rows{0};        // all its rows
  std::uint64_t waiting{0};     // of these, rows that wait for their date
  std::uint64_t due{0};         // rows that are due
  std::uint64_t ready{0};       // of these, as many as may be handed out now
  std::uint64_t processing{0};  // rows that are leased
  std::uint64_t weight{0};      // rows that it hands out in a turn
  std::string turn{};           // next, or waits; absent: it has nothing to hand out
  std::string limit{};          // what keeps its due rows: an option of the table, or pause
  TimeMs first_date{};          // the date of its first due row
  TimeMs next_date{};           // when it may have something to hand out
};
// From a DOMAIN; invalid for any other message.
[[nodiscard]] Result<Domain> domain_of(Message const& message);

// What happened in a minute or an hour in which something did.
struct Figure {
  TimeMs date{};                // its begin
  std::uint64_t inserted{0};    // new rows
  std::uint64_t leased{0};      // rows handed out
  std::uint64_t done{0};        // rows done
  std::uint64_t failed{0};      // attempts that a worker called failed
  std::uint64_t timed_out{0};   // leases that ran out
  std::uint64_t waiting{0};     // unleased rows at its end, whatever their date
  std::uint64_t processing{0};  // leased rows at its end
  // from a row's date to its lease: half of them below; of an hour the mean of its minutes, by their leases
  std::uint64_t lateness_ms_p50{0};
  std::uint64_t lateness_ms_p99{0};  // 99 of 100 below; of an hour the largest of its minutes
};
// From a FIGURE; invalid for any other message.
[[nodiscard]] Result<Figure> figure_of(Message const& message);

// The row is back at work.
struct KickedRow {
  std::uint64_t row{0};   // the row's number
  TimeMs process_date{};  // not handed out before
};
// From a KICKED; invalid for any other message.
[[nodiscard]] Result<KickedRow> kicked_row_of(Message const& message);

// Why a row is where it is.
struct RowReason {
  std::uint64_t row{0};                     // the row's number
  std::string state{};                      // a word for programs
  std::string text{};                       // a sentence for people
  DurationMs in{};                          // ms until its date
  DurationMs due_for{};                     // ms since its date
  TimeMs process_date{};                    // not handed out before
  std::optional<TimeMs> expiration_date{};  // when it expires
  std::string domain{};                     // whose turn it needs
  std::uint64_t ahead{0};                   // rows before it
  std::string limit{};                      // the option that holds it
  std::uint64_t held_by{0};                 // the row of its key that is worked on
  std::uint64_t waits_for{0};               // how many rows and groups it waits for
  std::string blocked_by{};                 // the first of these rows, by number, with blanks between
  std::string after_group{};                // the group of jobs that it waits for
  std::string when_failed{};                // what it does when one of these fails
  std::string group{};                      // its group of jobs
  std::uint64_t epoch{0};                   // of the lease
  std::string worker{};                     // who has it
  TimeMs lease_end{};                       // when the lease is over
  TimeMs since{};                           // since when
  bool in_transaction{false};               // an open transaction holds it, and its lease does not end meanwhile
  TimeMs until{};                           // until when it is kept
  std::string by{};                         // who paused the table
  std::string reason{};                     // why the table is paused
  std::uint64_t timeouts{0};                // leases that timed out since the last merge
  std::uint64_t attempts{0};                // time-outs and failures since the last merge or KICK
  std::uint64_t failures{0};                // attempts that workers reported as failed
  std::uint64_t lifetime_timeouts{0};       // in its life
  std::string error{};                      // what a worker said last
  std::string error_class{};                // what kind of error that was
  std::string error_trace{};                // where it went wrong, as that worker said
  std::uint64_t merges{0};                  // how often it was merged
  // the date of the insert accepted last: an insert with an older insertion_date is stale
  std::optional<TimeMs> accepted_date{};
  std::string schedule{};       // the schedule that made it
  TimeMs schedule_date{};       // for which of its dates
  std::uint64_t progress{0};    // how far its worker is, in percent, if it said so
  std::string progress_note{};  // what its worker is doing
  TimeMs progress_date{};       // when its worker said so
};
// From a REASON; invalid for any other message.
[[nodiscard]] Result<RowReason> row_reason_of(Message const& message);

// A group of jobs.
struct JobGroup {
  std::string group{};      // its name
  std::uint64_t number{0};  // its number
  std::string state{};      // open: it does not end; closed: it ends once all its rows have; ended
  std::string result{};     // of the command GROUP
  std::uint64_t rows{0};    // rows that have not ended, parked ones apart
  std::uint64_t done{0};    // rows that are done
  std::uint64_t failed{0};  // rows that are gone without being done: deleted, expired
  std::uint64_t parked{0};  // rows that were given up, and may be put back to work
  TimeMs since{};           // when it was made
  TimeMs ended_date{};      // when all its rows had ended
  TimeMs until{};           // until when it is kept
  std::string waiting{};    // rows that wait for it, the first by number, with blanks between
};
// From a GROUP; invalid for any other message.
[[nodiscard]] Result<JobGroup> job_group_of(Message const& message);

// A row, and what it waits for.
struct Node {
  std::uint64_t row{0};  // the row's number
  std::string state{};   // its state
  // of a group: above that of all rows of the page that it waits for, from 0; of a row: so many steps behind it, below
  // 0 before it
  std::uint64_t level{0};
  std::string text{};         // its key, for people
  std::string waits_for{};    // the rows that it waits for, with blanks between
  std::string broken{};       // of what it waited for, that which failed
  std::string after_group{};  // the group of jobs that it waits for
  std::string group{};        // its group of jobs
};
// From a NODE; invalid for any other message.
[[nodiscard]] Result<Node> node_of(Message const& message);

// The schedule is as it was given.
struct Scheduled {
  std::string schedule{};   // its name
  std::uint64_t number{0};  // its number
  std::string result{};     // made, changed or unchanged
  TimeMs next_date{};       // its next date; absent: none comes any more
};
// From a SCHEDULED; invalid for any other message.
[[nodiscard]] Result<Scheduled> scheduled_of(Message const& message);

// A schedule.
struct Schedule {
  std::string schedule{};            // its name
  std::uint64_t number{0};           // its number
  std::string state{};               // over: no date comes any more
  std::string cron{};                // its dates; or else every
  DurationMs every{};                // so far apart
  std::string time_zone{};           // whose clock cron is about
  DurationMs jitter{};               // its rows are due up to so much later
  TimeMs begins{};                   // no date before
  TimeMs ends{};                     // no date behind
  std::string overlap{};             // while a row of it has not ended
  std::string catch_up{};            // of dates that were missed
  DurationMs catch_up_window{};      // of these none that is older
  std::uint64_t catch_up_max{0};     // of these so many at most
  std::uint64_t pause_after{0};      // so many failures in a row pause it
  DurationMs alert_after{};          // an alert is raised when nothing was done for so long
  std::uint64_t priority{0};         // of its rows
  DurationMs expires_in{};           // of its rows
  std::string columns{};             // of its rows, as one object in JSON
  bool declared{false};              // by the table's file
  TimeMs next_date{};                // its next date
  std::vector<std::string> dates{};  // its next dates since 1970
  TimeMs waiting_date{};             // this date waits for the end of the row before
  TimeMs last_date{};                // the last date that is over
  std::uint64_t last_row{0};         // the last row
  std::string last_result{};         // what became of it
  TimeMs last_success{};             // the last date whose row was done
  std::uint64_t failures_in_row{0};  // rows that failed or expired since one was done
  std::uint64_t running{0};          // rows that have not ended
  std::uint64_t made{0};             // rows that it made
  std::uint64_t done{0};             // of these, rows that are done
  std::uint64_t failed{0};           // of these, rows that failed or expired
  std::uint64_t skipped{0};          // dates without a row, since one before had not ended
  // dates without a row, since none could be made at the time; counted up to 1000 at once
  std::uint64_t missed{0};
  bool late{false};       // without success for longer than alert_after
  TimeMs since{};         // since when it is paused, or runs as it does
  std::string by{};       // who made, paused or resumed it last
  std::string reason{};   // why it is paused
  std::string problem{};  // why it can make no rows here
};
// From a SCHEDULE; invalid for any other message.
[[nodiscard]] Result<Schedule> schedule_of(Message const& message);

// So many rows are there.
struct Backfilled {
  std::string schedule{};  // its name
  std::uint64_t count{0};  // rows of this page
  TimeMs until{};          // this date and those before have their rows
  bool complete{false};    // all dates of the range have their rows
};
// From a BACKFILLED; invalid for any other message.
[[nodiscard]] Result<Backfilled> backfilled_of(Message const& message);

struct Work {
  std::vector<Row> rows{};            // empty: there is none
  std::optional<TimeMs> next_date{};  // if empty: when there may be one, if the daemon knows it
};

// client and sequence: both or none; then the connection numbers it.
struct PutOptions {
  // the smallest is first; or a word of the option priority-words, as NOW (0 to 255; 100 if absent)
  std::optional<std::uint8_t> priority{};
  std::optional<Date> process_date{};  // not to be handed out before; now if absent; at least insertion_date
  // not to be handed out from then on, after process_date; 0 or absent: never
  std::optional<Date> expiration_date{};
  // the producer's date of this data; older than the one accepted last: nothing changes; further in the future than
  // max-clock-skew: refused
  std::optional<Date> insertion_date{};
  // the producer's name for this start of it; with sequence: resent inserts are done once (at most 128 bytes)
  std::string client{};
  std::optional<std::uint64_t> sequence{};  // the number of this insert by this client
  // rows of this table that it waits for, up to 1000: their numbers, with blanks between; those that have ended are not
  // waited for (at most 24000 bytes)
  std::string after{};
  // the same by the keys of a table whose row-key is one column, all rows of each key: keys with blanks between, or
  // each on a line of its own (at most 65536 bytes)
  std::string after_keys{};
  // what it does when one of these fails (is parked, deleted or expires): it waits on (wait, if absent), it fails too,
  // or it runs all the same
  std::string when_failed{};
  // it is of this group of jobs, which is made if it is not there; without open it ends once all its rows have (at most
  // 128 bytes)
  std::string group{};
  std::string after_group{};  // it waits for this group of jobs (at most 128 bytes)
  // until all rows of that group have ended (ended, if absent), until all have been done, or until one has failed
  std::string after_group_is{};
  // words that find the row, with commas between them: at most 16 of 64 bytes, of letters, digits and . _ : / @ + # -
  // (at most 1039 bytes)
  std::string tags{};
  std::optional<std::uint8_t> max_attempts{};  // of this row, in place of the option max-attempts (0 to 250)
  // how long this row rests after a failed attempt, in place of the option back-off: doubling, linear, sidekiq, or
  // durations as in 10s,1m,10m (at most 256 bytes)
  std::string back_off{};
  // how long the work on this row may take, unless NEXT says it; within processing-timeout-min and -max (1 to
  // 31536000000)
  std::optional<DurationMs> lease{};
  // for so long after this row is done no further row of its key is taken; 0 or absent: as the option unique-for says;
  // not without row-key (0 to 31536000000)
  std::optional<DurationMs> unique_for{};
};

struct NextOptions {
  std::uint32_t count{1};  // how many rows at most (1 to 1024; 1 if absent)
  // how long the work may take (processing-timeout-min to processing-timeout-max; processing-timeout if absent)
  std::optional<DurationMs> lease{};
  std::optional<DurationMs> wait{};  // how long to wait for a row when nothing is due (0 to 86400000; 0 if absent)
  std::string domain{};              // rows of this domain only (at most 256 bytes)
  // the worker's name, for people; peer address and connection if absent (at most 256 bytes)
  std::string worker{};
};

// With an error the release is a failed attempt: it is counted, the row rests for the table's back-off (or until the
// date), and after too many attempts the row is given up. Without an error nothing is counted, and the row is due at
// once (or at the date).
struct ReleaseOptions {
  // when it may be handed out again; if absent: now, or after the back-off of a failed attempt
  std::optional<Date> process_date{};
  std::string error{};  // what went wrong, for people. Makes it a failed attempt (1024 bytes are kept)
  // where it went wrong, as a traceback, for people. Makes it a failed attempt (65536 bytes are kept)
  std::string error_trace{};
  // what kind of error it is, for programs: TimeoutError, a code; rows are found by it (128 bytes are kept)
  std::string error_class{};
  std::optional<bool> failed{};  // 1: a failed attempt, also without error; 0: none, also with one
};

// One row, or the rows of a key.
struct WhichRows {
  std::optional<std::uint64_t> row{};  // the row's number; or else the key columns (of a table with row-key)
  Params columns{};                    // or the columns of its key
};

struct RowFilter {
  std::string status{};             // rows in this state only
  std::string domain{};             // rows of this domain only (at most 256 bytes)
  std::string prefix{};             // rows whose first key column begins so; not without row-key
  std::string error{};              // rows whose last error contains this (at most 1024 bytes)
  std::string error_class{};        // rows whose last error is of this class (at most 128 bytes)
  std::string tag{};                // rows with this tag only (at most 64 bytes)
  std::uint64_t count{UINT64_MAX};  // how many rows at most
};

// The calls of journal.h that are one command each.
class JournalCalls {
 public:
  // `connection` must outlive it.
  JournalCalls(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  // Adds a row, or merges it into the row of the same key that waits; in a table without row-key always adds one.
  // Numbered (Connection::number): a put whose answer was lost is sent again, and counts once.
  [[nodiscard]] Result<Put> put(Params const& columns, PutOptions const& options = {});
  // Leases the next rows that are due; NOTHING gives the date of the next one.
  [[nodiscard]] Result<Work> next(NextOptions const& options = {});
  // The next rows that are due, which are done at once: none is given out twice, and one that is lost is lost.
  [[nodiscard]] Result<Work> take(std::string_view domain = {}, std::optional<DurationMs> wait = {},
                                  std::string_view worker = {});
  // Renews a lease, and takes it over on a new connection. Returns when the lease is over.
  [[nodiscard]] Result<TimeMs> touch(Row const& row, std::optional<DurationMs> lease = {});
  // Says how far the work on a leased row is, for all who look at it; replaces what was said before under this lease,
  // and ends with it. With lease it renews the lease as well. Returns when the lease is over.
  [[nodiscard]] Result<TimeMs> progress(Row const& row, std::uint64_t percent, std::string_view note = {},
                                        std::optional<DurationMs> lease = {});
  // The row is finished, and deleted.
  [[nodiscard]] Status done(Row const& row, std::string_view result = {});
  // As done, and leases the next row in the same round trip.
  [[nodiscard]] Result<Work> done_and_next(Row const& row, std::string_view result = {});
  // Gives a row back. Without an error it is due again and nothing is counted; with one it is a failed attempt: it
  // rests for the table's back-off, or is given up.
  [[nodiscard]] Result<Returned> release(Row const& row, ReleaseOptions const& options = {});
  // This row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt.
  [[nodiscard]] Result<Returned> fail(Row const& row, std::string_view error, std::string_view error_trace = {},
                                      std::string_view error_class = {});
  // Shows a row, or the rows of a key, without leasing.
  [[nodiscard]] Result<std::vector<Row>> peek(WhichRows const& options = {});
  // Shows rows by their number.
  [[nodiscard]] Result<std::vector<Row>> list(RowFilter const& options = {}, bool traces = false);
  // How many rows fit a filter, counted page by page.
  [[nodiscard]] Result<std::uint64_t> count(RowFilter const& options = {});
  // Says in a sentence, and in parameters for programs, why a row, or each row of a key, is where it is.
  [[nodiscard]] Result<std::vector<RowReason>> why(WhichRows const& options = {});
  // Counts rows by when they fall due: those that are, and each second of the next minute, minute of the next hour,
  // hour of the next day.
  [[nodiscard]] Result<std::vector<DueRows>> timeline(std::string_view domain = {});
  // Shows the domains that have rows, with their turns and limits.
  [[nodiscard]] Result<std::vector<Domain>> domains();
  // Shows what happened in each minute of the last day, or each hour of the last 31 days, the oldest first; of a table
  // with keep-figures. What did not happen is left out.
  [[nodiscard]] Result<std::vector<Figure>> figures(std::string_view per = {}, std::optional<Date> since = {},
                                                    std::optional<Date> until = {});
  // Deletes a row, or all rows of a key, in whatever state.
  [[nodiscard]] Status erase(WhichRows const& options = {});
  // Deletes the rows that fit a filter, in whatever state, page by page; how many. Without a filter it is refused.
  [[nodiscard]] Result<std::uint64_t> erase_matching(RowFilter const& options = {});
  // Makes a row, or the rows of a key, due now and resets their attempts; what became of the first. Nothing: it has
  // expired, and is gone.
  [[nodiscard]] Result<std::optional<KickedRow>> kick(WhichRows const& options = {});
  // Makes the rows that fit a filter due now and resets their attempts, page by page; how many. Without a status: those
  // that are parked.
  [[nodiscard]] Result<std::uint64_t> kick_matching(RowFilter const& options = {});
  // Nothing is handed out any more; leases go on, inserts are taken. With schedule: its dates make no rows.
  [[nodiscard]] Status pause(std::string_view reason = {}, std::string_view worker = {},
                             std::string_view schedule = {});
  // Ends a PAUSE or DRAIN; who waits for work is told. With schedule: of the dates that it missed it does what its
  // catch_up says. Returns paused, draining or open.
  [[nodiscard]] Result<std::string> resume(std::string_view reason = {}, std::string_view worker = {},
                                           std::string_view schedule = {});
  // Inserts are refused; work goes on until the table is empty, and then until RESUME.
  [[nodiscard]] Status drain(std::string_view reason = {}, std::string_view worker = {});
  // Makes a group of jobs that stays open, and so does not end, until it is closed; or closes it.
  [[nodiscard]] Result<JobGroup> group(std::string_view group, std::string_view state = {});
  // Shows groups of jobs with the counts of their rows, oldest first.
  [[nodiscard]] Result<std::vector<JobGroup>> groups(std::string_view group = {});
  // Ends the rows of a group of jobs that have not ended, page by page, and closes it; how many.
  [[nodiscard]] Result<std::uint64_t> cancel(std::string_view group, std::string_view how = {});
  // Shows rows with what they wait for: those of a group of jobs, by number; or a row, what it waits for and what waits
  // for it, step by step.
  [[nodiscard]] Result<std::vector<Node>> graph(std::string_view group = {}, std::optional<std::uint64_t> row = {});
  // Makes a schedule, which inserts a row at each of its dates, or changes the one of this name to what is given; with
  // the columns of its rows.
  [[nodiscard]] Result<Scheduled> schedule(Params const& columns, std::string_view schedule, std::string_view cron = {},
                                           std::optional<DurationMs> every = {}, std::string_view time_zone = {},
                                           std::optional<DurationMs> jitter = {}, std::optional<Date> begins = {},
                                           std::optional<Date> ends = {}, std::string_view overlap = {},
                                           std::string_view catch_up = {},
                                           std::optional<DurationMs> catch_up_window = {},
                                           std::uint32_t catch_up_max = {},
                                           std::optional<std::uint64_t> pause_after = {},
                                           std::optional<DurationMs> alert_after = {},
                                           std::optional<std::uint8_t> priority = {},
                                           std::optional<DurationMs> expires_in = {}, std::string_view worker = {});
  // Removes a schedule; its rows stay.
  [[nodiscard]] Status unschedule(std::string_view schedule);
  // Shows the schedules with their next dates and what became of the last one, by their numbers.
  [[nodiscard]] Result<std::vector<Schedule>> schedules(std::string_view schedule = {},
                                                        std::optional<std::uint8_t> dates = {});
  // A row of a schedule at once, whatever its dates and its overlap say; also of one that is paused. Returns the row's
  // number.
  [[nodiscard]] Result<std::uint64_t> trigger(std::string_view schedule);
  // A row for each date of a schedule in a range that is past: a page, and the same call goes on behind it.
  [[nodiscard]] Result<Backfilled> backfill(std::string_view schedule, std::optional<Date> from_date = {},
                                            std::optional<Date> to_date = {});

  // For pipelining and transactions: what these calls send. Texts are borrowed.
  [[nodiscard]] Message insert_of(Params const& columns, PutOptions const& options = {}) const;
  [[nodiscard]] Message done_of(Row const& row, std::string_view result = {}) const;
  [[nodiscard]] Message release_of(Row const& row, ReleaseOptions const& options = {}) const;
  [[nodiscard]] Message fail_of(Row const& row, std::string_view error, std::string_view error_trace = {},
                                std::string_view error_class = {}) const;

 protected:
  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
