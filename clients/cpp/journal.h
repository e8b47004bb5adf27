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
#include <optional>
#include <string>
#include <string_view>

#include "clients/cpp/client.h"
#include "clients/cpp/made_journal.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// True for the parameters of a ROW other than columns; no column may have such a name.
[[nodiscard]] bool is_row_parameter(std::string_view name);

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

// With the calls of made_journal.h.
class Journal : public JournalCalls {
 public:
  using JournalCalls::JournalCalls;

  // Remains in force after a reconnect; read the notices with wait_notice. Rows delivered before a loss still belong to
  // this worker until the table's grace is over; touch() adopts them. A second listen of the same domain changes mode
  // and credit.
  [[nodiscard]] Status listen(ListenOptions const& options = {});
  [[nodiscard]] Status unlisten(std::string_view domain = {});

  // The meaning of the answers to INSERT, and to RELEASE or FAIL.
  [[nodiscard]] static Result<Put> put_of(Reply const& reply);
  [[nodiscard]] static Result<Returned> returned_of(Reply const& reply);
};

}  // namespace fastjournal::client
