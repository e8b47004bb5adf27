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

namespace fastjournal::journal::made {

enum class StatusChoice : std::uint8_t { waiting, due, processing, behind, parked, paused };
inline constexpr std::string_view kStatusChoiceWords[] = {"waiting", "due", "processing", "behind", "parked", "paused"};
[[nodiscard]] constexpr std::string_view name_of(StatusChoice one) {
  return kStatusChoiceWords[static_cast<std::size_t>(one)];
}
enum class WhenFailedChoice : std::uint8_t { parked, delete_word };

// INSERT. Adds a row, or merges it into the row of the same key that waits; in a table without row-key always adds one.
struct Insert {
  std::uint8_t priority{100};  // the smallest is first
  std::optional<std::int64_t> process_date{};  // not to be handed out before; now if absent; at least insertion_date
  // not to be handed out from then on, after process_date; 0 or absent: never
  std::optional<std::int64_t> expiration_date{};
  // the producer's date of this data; older than the one accepted last: nothing changes; further in the future than
  // max-clock-skew: refused
  std::optional<std::int64_t> insertion_date{};
  model::Text client{};  // the producer's name for this start of it; with sequence: resent inserts are done once
  std::optional<std::uint64_t> sequence{};  // the number of this insert by this client

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// NEXT. Leases the next rows that are due; NOTHING gives the date of the next one.
struct Next {
  model::Text domain{};  // rows of this domain only
  std::uint32_t count{1};  // how many rows at most
  std::int64_t lease{0};  // how long the work may take
  std::int64_t wait{0};  // how long to wait for a row when nothing is due; needs request
  bool places{false};  // 1: of columns that are kept in files, their places, for a reader on the same computer

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// TOUCH. Renews a lease, and takes it over on a new connection.
struct Touch {
  std::uint64_t row{0};  // the row's number
  std::uint64_t epoch{0};  // the epoch of the lease
  std::int64_t lease{0};  // how long from now

  [[nodiscard]] bool read(Command const& command, Decision& decision, model::Range const& lease_range);
};

// DONE. The work is done: the row is deleted. With next=1 the answer of a NEXT follows.
struct Done {
  std::uint64_t row{0};  // the row's number
  std::uint64_t epoch{0};  // the epoch of the lease
  bool next{false};  // 1: lease the next row as well
  model::Text domain{};  // with next=1: a row of this domain only

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
  std::optional<bool> failed{};  // 1: a failed attempt, also without error; 0: none, also with one

  [[nodiscard]] bool read(Command const& command, Decision& decision);
};

// FAIL. This row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt.
struct Fail {
  std::uint64_t row{0};  // the row's number
  std::uint64_t epoch{0};  // the epoch of the lease
  model::Text error{};  // why, for people
  model::Text error_trace{};  // where it went wrong, as a traceback, for people

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

// The options of a table; durations are ms, sizes bytes.
struct Options {
  // what becomes of a row that is given up: parked, for an operator; or deleted. An alert is raised either way
  WhenFailedChoice when_failed{WhenFailedChoice::parked};
  // how far merges may push a row's process date beyond its arrival; not without row-key
  std::int64_t max_postpone{3'600'000};
  // an INSERT whose insertion_date is further in the future is refused: a clock that is fast would shadow all others;
  // 0: none is
  std::int64_t max_clock_skew{10'000};
  std::uint32_t rows_max{0};  // inserts of new rows are refused from here on; 0: no limit
  std::uint64_t memory_max{0};  // inserts of new rows are refused when rows take so many bytes of memory; 0: no limit
  // string and buffer columns of this size and more are kept in files of the table, not in memory and the log; at least
  // 16KiB; 0: none
  std::uint64_t spill{0};
  // how many clients' names and sequence numbers are remembered; one origin may have half of them
  std::uint32_t clients_max{100'000};
  // the table pauses itself, and raises the alert paused, when so many rows failed without one DONE between; 0: never
  std::uint32_t pause_after_failures{0};
  rows::LeaseTimes times{};
  rows::Lifetimes lifetimes{};
  rows::AttemptRules attempts{};

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
};

}  // namespace fastjournal::journal::made
