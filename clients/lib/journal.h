// The commands of a journal table, typed: for producers (put) and for backends
// (next, touch, done, release, fail).
//
//   Journal pages(connection, "pages");
//   pages.put({{"uri", Value::of_text("http://example.com/")}}, {.priority = 20, .process_date = Date::in(DurationMs{10'000})});
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

#include "clients/lib/client.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// A date in a command: of the calendar, or from the moment the daemon reads it.
struct Date {
  std::int64_t ms{0};
  bool from_now{false};

  static Date at(TimeMs date) { return {date.value, false}; }
  static Date in(DurationMs span) { return {span.value, true}; }
  static Date never() { return {}; }  // for expiration dates
};

// Of a table without row-key only the first and `duplicate`.
enum class PutResult : std::uint8_t {
  inserted,   // a new row
  merged,     // into the row that waits under this key
  behind,     // a worker has this key: the row waits behind it
  duplicate,  // client and sequence were seen: nothing changed
  stale,      // its insertion date is older than what the row has: nothing changed
};

struct PutOptions {
  std::optional<std::uint8_t> priority{};
  std::optional<Date> process_date{};
  std::optional<Date> expiration_date{};
  std::optional<Date> insertion_date{};
  // Both or none. Without them an INSERT whose answer was lost is not sent again.
  std::string client{};
  std::optional<std::uint64_t> sequence{};
};

struct Put {
  std::uint64_t row{0};
  PutResult result{PutResult::inserted};
  std::uint64_t merges{0};  // into this row, so far
  TimeMs process_date{};
};

// A row as NEXT or `deliver` hands it out, or as PEEK and LIST show it (epoch 0).
struct Row {
  std::string table;
  std::uint64_t row{0};
  std::uint64_t epoch{0};                      // of the lease
  std::map<std::string, std::string> columns;  // absent values are absent; text_of() spelling
  std::uint8_t priority{0};
  TimeMs process_date{};
  TimeMs insertion_date{};
  TimeMs lease_end{};
  std::uint64_t timeouts{0};
  std::uint64_t attempts{0};  // that failed since the last merge: time-outs, and releases with an error
  std::string omitted{};      // columns that this connection could not carry, commas between; PEEK elsewhere has them
};
// A ROW message; invalid if it is something else.
[[nodiscard]] Result<Row> row_of(Message const& message);
// True for the parameters of a ROW that are not columns; no column may have such a name.
[[nodiscard]] bool is_row_parameter(std::string_view name);

struct NextOptions {
  std::uint32_t count{1};
  std::optional<DurationMs> lease{};  // default: the table's processing-timeout
  std::optional<DurationMs> wait{};   // for the first row; default: not at all
  std::string domain{};
  std::string worker{};
};

struct Work {
  std::vector<Row> rows;              // empty: nothing to do
  std::optional<TimeMs> next_date{};  // then: when there will be, if the daemon knows
};

// With an error it is a failed attempt: it is counted, rests for the table's back-off (or until the date), and at last the
// row is given up. Without, nothing is counted and the row is due at once (or at the date).
struct ReleaseOptions {
  std::optional<Date> process_date{};
  std::string error{};  // 1 KiB is kept
};

// What became of a row that was given back or given up.
struct Returned {
  enum class Fate : std::uint8_t {
    released,  // it waits again
    parked,    // given up, for a person to look at
    deleted,   // given up in a table that keeps no such rows, or expired meanwhile
  };
  Fate fate{Fate::released};
  std::optional<TimeMs> process_date{};  // released: when it may be handed out again
};

enum class ListenMode : std::uint8_t {
  wake,     // one notice when there is work, to one idle listener: take it with next()
  row,      // a notice for each row as it becomes due
  deliver,  // rows, leased, up to `credit` at once
};

struct ListenOptions {
  ListenMode mode{ListenMode::wake};
  std::string domain{};     // default: the whole table
  std::uint32_t credit{1};  // deliver: 1 to 1024
  std::string worker{};     // deliver: as in NextOptions
};

// What a listener is told.
struct Notice {
  enum class Kind : std::uint8_t {
    work,       // wake: `ready` rows wait, the first became due at `date`
    due,        // row: `row` has its number, the key's columns (if the table has a key) and its process date
    missed,     // row: so many rows that could not be told, as this side did not read
    delivered,  // deliver: `row` is leased to this connection
  };
  Kind kind{Kind::work};
  std::string table;
  std::string domain;  // of the LISTEN, if it has one; not of delivered rows
  std::uint64_t ready{0};
  std::uint64_t missed{0};
  TimeMs date{};
  Row row;
};
// A LISTEN or ROW push; the refusal if it is an ERROR (a subscription that failed after a reconnect).
[[nodiscard]] Result<Notice> notice_of(Message const& push);
// The next notice of any table that the connection listens to; else as Connection::wait_push.
[[nodiscard]] Result<Notice> wait_notice(Connection& connection, Milliseconds limit, int wake_fd = -1);

class Journal {
 public:
  // `connection` outlives it.
  Journal(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  // From here on puts without a client of their own carry `client` and 1, 2, 3, ...: an
  // INSERT whose answer was lost is sent again and counts once. A name per
  // start of the process, never used before; it belongs to the address that used it first.
  void number_puts(std::string client) { client_ = std::move(client); }
  // Under a name of 128 random bits, which nobody else has.
  void number_puts() { client_ = drawn_name(); }
  // "client-" and 32 digits.
  [[nodiscard]] static std::string drawn_name();

  [[nodiscard]] Result<Put> put(Params const& columns, PutOptions const& options = {});
  [[nodiscard]] Result<Work> next(NextOptions const& options = {});
  // The lease's new end.
  [[nodiscard]] Result<TimeMs> touch(Row const& row, std::optional<DurationMs> lease = {});
  [[nodiscard]] Status done(Row const& row);
  // DONE and NEXT in one round trip.
  [[nodiscard]] Result<Work> done_and_next(Row const& row);
  [[nodiscard]] Result<Returned> release(Row const& row, ReleaseOptions const& options = {});
  // From now on, also after a reconnect: wait_notice tells. Rows delivered before a loss are still this worker's until the
  // table's grace is over; touch() adopts them. A second listen of the same domain changes mode and credit.
  [[nodiscard]] Status listen(ListenOptions const& options = {});
  [[nodiscard]] Status unlisten(std::string_view domain = {});
  // This row can never work: parked at once.
  [[nodiscard]] Result<Returned> fail(Row const& row, std::string_view error);

  // For pipelining: the INSERT that put() sends, and what its answer means.
  [[nodiscard]] Message insert_of(Params const& columns, PutOptions const& options = {});
  [[nodiscard]] static Result<Put> put_of(Reply const& reply);
  // What the answer of RELEASE or FAIL means.
  [[nodiscard]] static Result<Returned> returned_of(Reply const& reply);

 private:
  Connection& connection_;
  std::string table_;
  std::string client_;
  std::uint64_t sequence_{0};
};

}  // namespace fastjournal::client
