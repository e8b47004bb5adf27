// Commands of several tables that are all carried out, or none: exactly-once hand-over from table to table.
//
//   Journal pages(connection, "pages"), mails(connection, "mails");
//   KeyValue seen(connection, "seen");
//   Result<Work> work = pages.next();
//   for (Row const& row : work->rows) {
//     Transaction transaction(connection);
//     transaction.add(pages.done_of(row));
//     transaction.add(mails.insert_of({{"to", Value::of_text("ann@example.com")}}));
//     transaction.add(seen.set_of(row.columns.at("uri"), TypedValue::of_text("1")));
//     Result<std::vector<Message>> const done = transaction.commit();
//   }
//
// Nothing is sent before commit(), which sends all in one message (TRANSACTION) and waits until all is synced. So there
// is nothing to roll back: a transaction that is not committed was never there. For checks on the way, or to hold rows
// and keys meanwhile, send BEGIN, the commands and COMMIT with Connection::call.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/client.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::client {

class Transaction {
 public:
  // The most commands of one.
  static constexpr std::size_t kCommandsMax = 1000;

  explicit Transaction(Connection& connection) : connection_(connection) {}

  // Journal: INSERT, DONE, RELEASE, FAIL. Key/value: SET, ADD, DELETE. Queues: SEND, ACCEPT, RELEASE, REJECT. A row, a
  // key or a message is changed once.
  void add(Message const& command);
  void add(std::string_view command, Params const& params);
  [[nodiscard]] std::size_t size() const { return size_; }

  // The answers of the commands, in their order, each with `op`, its number from 1. Afterwards it is empty again. Not ok:
  //   the refusal of a command, with its number as the fact `op`: nothing was done
  //   in_transaction   somebody else's holds a row or a key: nothing was done, try again
  //   closed           the connection was lost: all was done, or nothing. Look at a row that it was to finish: if that
  //                    is gone (unknown_row), all was done
  //   timed_out        the same is not known either
  [[nodiscard]] Result<std::vector<Message>> commit();
  // Forgets the commands.
  void clear();

 private:
  Connection& connection_;
  std::string commands_;  // frames
  std::size_t size_{0};
};

}  // namespace fastjournal::client
