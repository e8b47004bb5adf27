// The commands of a journal table, typed: for producers (put) and for backends
// (next, touch, done, release, fail).
//
//   Journal pages(connection, "pages");
//   pages.put({{"uri", Value::of_text("http://example.com/")}},
//             {.priority = 20, .process_date = Date::in(DurationMs{10'000})});
//
//   Result<Work> work = pages.next({.count = 8, .wait = DurationMs{30'000}});
//   if (work.ok())
//     for (Row const& row : work->rows) {
//       Status did = index_page(row.columns.at("uri"));
//       Status said = did.ok() ? pages.done(row) : pages.release(row, {.error = did.text()}).status();
//     }
//
// The same with rows that arrive by themselves:
//
//   Status listening = pages.listen({.mode = ListenMode::deliver, .credit = 64});
//   while (listening.ok()) {
//     Result<Notice> notice = wait_notice(connection, kForever);
//     if (!notice.ok()) break;
//     if (notice->kind == Notice::Kind::delivered) work_on(notice->row);
//   }
//
// Every call returns what Connection::call does when it fails.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/date.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// A table without row-key returns only `inserted` and `duplicate`.
enum class PutResult : std::uint8_t {
  inserted,   // a new row
  merged,     // into the waiting row of this key
  behind,     // a worker has the row of this key: this row waits behind it
  duplicate,  // client and sequence are known: nothing changed
  stale,      // the insertion date is older than the row's: nothing changed
};

struct PutOptions {
  std::optional<std::uint8_t> priority{};
  std::optional<Date> process_date{};
  std::optional<Date> expiration_date{};
  std::optional<Date> insertion_date{};
  // Both or none. Without them an INSERT whose answer was lost is not resent.
  std::string client{};
  std::optional<std::uint64_t> sequence{};
};

struct Put {
  std::uint64_t row{0};
  PutResult result{PutResult::inserted};
  std::uint64_t merges{0};  // into this row, so far
  TimeMs process_date{};
};

// A row as returned by NEXT or `deliver`, or as shown by PEEK and LIST (epoch 0, unless you may manage).
struct Row {
  std::string table;
  std::uint64_t row{0};
  std::uint64_t epoch{0};                      // of the lease
  std::map<std::string, std::string> columns;  // as of text_of(); without absent values
  std::uint8_t priority{0};
  TimeMs process_date{};
  TimeMs insertion_date{};
  TimeMs lease_end{};
  std::uint64_t timeouts{0};
  std::uint64_t attempts{0};  // failed ones since the last merge: time-outs, and releases with an error
  std::string omitted{};      // columns not possible on this connection, with commas; use PEEK on another one
};
// From a ROW message; invalid for any other message.
[[nodiscard]] Result<Row> row_of(Message const& message);
// True for the parameters of a ROW other than columns; no column may have such a name.
[[nodiscard]] bool is_row_parameter(std::string_view name);

struct NextOptions {
  std::uint32_t count{1};
  std::optional<DurationMs> lease{};  // default: the table's processing-timeout
  std::optional<DurationMs> wait{};   // for the first row; default: no waiting
  std::string domain{};
  std::string worker{};
};

struct Work {
  std::vector<Row> rows;              // empty: no work
  std::optional<TimeMs> next_date{};  // if empty: the date of the next row, if the daemon knows it
};

// With an error the release is a failed attempt: it is counted, the row rests for the table's back-off (or until the
// date), and after too many attempts the row is given up. Without an error nothing is counted, and the row is due at
// once (or at the date).
struct ReleaseOptions {
  std::optional<Date> process_date{};
  std::string error{};        // at most 1 KiB is kept
  std::string error_trace{};  // where it went wrong; at most 16 KiB are kept
};

// The fate of a row that was returned or given up.
struct Returned {
  enum class Fate : std::uint8_t {
    released,  // the row waits again
    parked,    // given up, for an operator to look at
    deleted,   // given up in a table that does not keep such rows, or expired meanwhile
  };
  Fate fate{Fate::released};
  std::optional<TimeMs> process_date{};  // of a released row: the earliest date of its next lease
};

enum class ListenMode : std::uint8_t {
  wake,     // one notice when there is work, to one idle listener; lease the row with next()
  row,      // a notice for each row as it becomes due
  deliver,  // leased rows, up to `credit` at a time
};

struct ListenOptions {
  ListenMode mode{ListenMode::wake};
  std::string domain{};     // default: the whole table
  std::uint32_t credit{1};  // deliver: 1 to 1024
  std::string worker{};     // deliver: as in NextOptions
};

// A notice to a listener.
struct Notice {
  enum class Kind : std::uint8_t {
    work,       // wake: `ready` rows wait, the first one due since `date`
    due,        // row: `row` has the number, the key columns (if the table has a key) and the process date
    missed,     // row: number of rows without a notice, because this side did not read
    delivered,  // deliver: `row` is leased to this connection
  };
  Kind kind{Kind::work};
  std::string table;
  std::string domain;  // of the LISTEN, if any; empty for delivered rows
  std::uint64_t ready{0};
  std::uint64_t missed{0};
  TimeMs date{};
  Row row;
};
// From a LISTEN or ROW push. Not ok: the refusal in an ERROR (a subscription that failed after a reconnect).
[[nodiscard]] Result<Notice> notice_of(Message const& push);
// The next notice of any table that the connection listens to. Errors as for Connection::wait_push.
[[nodiscard]] Result<Notice> wait_notice(Connection& connection, Milliseconds limit, int wake_fd = -1);

class Journal {
 public:
  // `connection` must outlive it.
  Journal(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  // Numbered (Connection::number): a put whose answer was lost is sent again, and counts once.
  [[nodiscard]] Result<Put> put(Params const& columns, PutOptions const& options = {});
  [[nodiscard]] Result<Work> next(NextOptions const& options = {});
  // Returns the new end of the lease.
  [[nodiscard]] Result<TimeMs> touch(Row const& row, std::optional<DurationMs> lease = {});
  [[nodiscard]] Status done(Row const& row);
  // DONE and NEXT in one round trip.
  [[nodiscard]] Result<Work> done_and_next(Row const& row);
  [[nodiscard]] Result<Returned> release(Row const& row, ReleaseOptions const& options = {});
  // Remains in force after a reconnect; read the notices with wait_notice. Rows delivered before a loss still belong to
  // this worker until the table's grace is over; touch() adopts them. A second listen of the same domain changes mode
  // and credit.
  [[nodiscard]] Status listen(ListenOptions const& options = {});
  [[nodiscard]] Status unlisten(std::string_view domain = {});
  // For a row that can never succeed: parks it at once.
  [[nodiscard]] Result<Returned> fail(Row const& row, std::string_view error, std::string_view error_trace = {});

  // For pipelining and transactions: what put(), done(), release() and fail() send, and the meaning of the answers.
  [[nodiscard]] Message insert_of(Params const& columns, PutOptions const& options = {}) const;
  [[nodiscard]] Message done_of(Row const& row) const;
  [[nodiscard]] Message release_of(Row const& row, ReleaseOptions const& options = {}) const;
  [[nodiscard]] Message fail_of(Row const& row, std::string_view error, std::string_view error_trace = {}) const;
  [[nodiscard]] static Result<Put> put_of(Reply const& reply);
  // The meaning of an answer to RELEASE or FAIL.
  [[nodiscard]] static Result<Returned> returned_of(Reply const& reply);

 private:
  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
