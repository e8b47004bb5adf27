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
enum class PutResult : std::uint8_t { inserted, merged, behind, duplicate, stale, expired };

// The row is there, synced.
struct Put {
  std::uint64_t row{0};  // the row's number
  // inserted, merged, behind, duplicate or stale; without row-key inserted or duplicate; of a transaction also expired,
  // without row
  PutResult result{};
  std::uint64_t merges{0};  // how often the row was merged
  TimeMs process_date{};    // not handed out before
  std::string date_by{};    // why a merge left another date than was asked for: waiting-row or max-postpone
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
  std::string status{};                     // waiting, due, processing, behind or parked
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
  std::string error_trace{};                // where it went wrong, as that worker said
  std::uint64_t merges{0};                  // how often it was merged
  // the date of the insert accepted last: an insert with an older insertion_date is stale
  std::optional<TimeMs> accepted_date{};
};
// From a REASON; invalid for any other message.
[[nodiscard]] Result<RowReason> row_reason_of(Message const& message);

struct Work {
  std::vector<Row> rows{};            // empty: there is none
  std::optional<TimeMs> next_date{};  // if empty: when there may be one, if the daemon knows it
};

// client and sequence: both or none; then the connection numbers it.
struct PutOptions {
  std::optional<std::uint8_t> priority{};  // the smallest is first (0 to 255; 100 if absent)
  std::optional<Date> process_date{};      // not to be handed out before; now if absent; at least insertion_date
  std::optional<Date> expiration_date{};   // not to be handed out from then on, after process_date; 0 or absent: never
  // the producer's date of this data; older than the one accepted last: nothing changes; further in the future than
  // max-clock-skew: refused
  std::optional<Date> insertion_date{};
  // the producer's name for this start of it; with sequence: resent inserts are done once (at most 128 bytes)
  std::string client{};
  std::optional<std::uint64_t> sequence{};  // the number of this insert by this client
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
  // where it went wrong, as a traceback, for people. Makes it a failed attempt (16384 bytes are kept)
  std::string error_trace{};
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
  // Renews a lease, and takes it over on a new connection. Returns when the lease is over.
  [[nodiscard]] Result<TimeMs> touch(Row const& row, std::optional<DurationMs> lease = {});
  // The row is finished, and deleted.
  [[nodiscard]] Status done(Row const& row);
  // As done, and leases the next row in the same round trip.
  [[nodiscard]] Result<Work> done_and_next(Row const& row);
  // Gives a row back. Without an error it is due again and nothing is counted; with one it is a failed attempt: it
  // rests for the table's back-off, or is given up.
  [[nodiscard]] Result<Returned> release(Row const& row, ReleaseOptions const& options = {});
  // This row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt.
  [[nodiscard]] Result<Returned> fail(Row const& row, std::string_view error, std::string_view error_trace = {});
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
  // Nothing is handed out any more; leases go on, inserts are taken.
  [[nodiscard]] Status pause(std::string_view reason = {}, std::string_view worker = {});
  // Ends a PAUSE or DRAIN; who waits for work is told. Returns paused, draining or open.
  [[nodiscard]] Result<std::string> resume(std::string_view reason = {}, std::string_view worker = {});
  // Inserts are refused; work goes on until the table is empty, and then until RESUME.
  [[nodiscard]] Status drain(std::string_view reason = {}, std::string_view worker = {});

  // For pipelining and transactions: what these calls send. Texts are borrowed.
  [[nodiscard]] Message insert_of(Params const& columns, PutOptions const& options = {}) const;
  [[nodiscard]] Message done_of(Row const& row) const;
  [[nodiscard]] Message release_of(Row const& row, ReleaseOptions const& options = {}) const;
  [[nodiscard]] Message fail_of(Row const& row, std::string_view error, std::string_view error_trace = {}) const;

 protected:
  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
