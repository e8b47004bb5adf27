// The rows of a type as its commands name them: by number, and under which lease. The first question of every command that
// renews or ends a lease.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/lease_times.h"
#include "plugins/rows/row_table.h"
#include "plugins/rows/state.h"

namespace fastjournal::rows {

// A client that knows the epoch can end the lease: it is told to its holder, and to those who may manage the table.
[[nodiscard]] inline bool may_see_epoch(Lease const& lease, Command const& command) {
  bool const holds = command.holds && command.connection != ConnectionId::none &&
                     lease.connection == static_cast<std::uint64_t>(command.connection);
  return holds || command.may_manage;
}

// How a type calls its rows, in parameters and to people.
struct RowWords {
  std::string_view row;     // "message"
  std::string_view gone;    // why one is not there: "it was accepted, ..."
  std::string_view finish;  // what a worker does with it: "accept"
};

// A row, and the lease under which a command has it.
struct NamedLease {
  ObjectId row;
  LeaseEpoch epoch;
};

// Of one table, beside its rows, which outlive it.
class NamedRows {
 public:
  NamedRows(RowTable const& rows, std::string table, RowWords const& words)
      : rows_(rows), table_(std::move(table)), words_(words) {}

  [[nodiscard]] RowWords const& words() const { return words_; }
  [[nodiscard]] std::string const& table() const { return table_; }
  [[nodiscard]] State const& state() const { return rows_.state(); }
  // "message 812 of table orders"
  [[nodiscard]] std::string name_of(ObjectId row) const;
  [[nodiscard]] Status unknown(ObjectId row) const;
  [[nodiscard]] bool is_held(ObjectId row) const { return rows_.holds().holder_of(row) != TransactionId::none; }
  // Not ok: a transaction holds this row, and the command may not change it in this phase.
  [[nodiscard]] Status check_hold(ObjectId row, Decision const& decision) const {
    TransactionId const holder = rows_.holds().holder_of(row);
    return holder == TransactionId::none ? Status{} : Holds::check(holder, decision, name_of(row));
  }
  // The row of this lease. kNoRow: the status says why there is none.
  [[nodiscard]] std::uint32_t find_leased(Command const& command, NamedLease const& named, Decision& decision) const {
    std::uint32_t const row = state().find(named.row);
    if (row != kNoRow && state().row(row).place() == Place::processing) [[likely]] {
      state().expect(row);
      if (state().lease_of(row).epoch == named.epoch) return row;
    }
    decision.status = row == kNoRow ? unknown(named.row) : refuse_lease(row, command);
    return kNoRow;
  }
  // The same for a command that ends the lease. kNoRow: it was refused, or only promised.
  [[nodiscard]] std::uint32_t find_to_end(Command const& command, NamedLease const& named, Decision& decision) const;

 private:
  [[nodiscard]] Status refuse_lease(std::uint32_t row, Command const& command) const;

  RowTable const& rows_;
  std::string const table_;
  RowWords const words_;
};

// The lease of a row moves to the sender, and lasts so long from now on: its terms then. None: it was refused.
std::optional<Leases::Terms> renew(NamedRows const& rows, Attempts const& attempts, std::uint32_t row,
                                   std::int64_t lease_ms, Command const& command, Decision& decision);
// The same of a named one, with its answer.
Verdict touch(NamedRows const& rows, Attempts const& attempts, NamedLease const& named, std::int64_t lease_ms,
              Command const& command, Decision& decision);

}  // namespace fastjournal::rows
