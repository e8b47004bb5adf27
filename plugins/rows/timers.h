// Decisions about rows without a command: leases that end, rows and clients that expire, connections that close, and
// the leases of a former start. A table type that is built on rows answers Timed and Holder with it.
#pragma once

#include <cstdint>

#include "fastjournal/table.h"
#include "fastjournal/types.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/row_table.h"

namespace fastjournal::rows {

// How long what is left over lasts, in ms.
struct Lifetimes {
  std::int64_t parked{0};            // parked rows; 0: for ever
  std::int64_t client{604'800'000};  // unused clients
  std::int64_t grace{10'000};        // leases of a lost connection
  std::int64_t group{86'400'000};    // groups of jobs that ended
  std::uint64_t uniques{1'000'000};  // of keys of rows that are done so many at most; the first to be over go before
};

// Of one table, beside its rows, attempts and lifetimes, which outlive it.
class Timers {
 public:
  Timers(RowTable const& rows, Attempts const& attempts, Lifetimes const& lifetimes)
      : rows_(rows), attempts_(attempts), lifetimes_(lifetimes) {}

  // The first date with work for the table's advance() or for the two below.
  [[nodiscard]] TimeMs next_due() const;
  // Rows and clients that have expired. True if it found any: leases wait for the next step, so that no step has two
  // records about one row.
  bool expire(Decision& decision) const;
  // What follows from rows that failed, and from groups of jobs: rows fail, or end, that waited for these. True: it found
  // any.
  bool follow(Decision& decision) const;
  struct LeasesEnded {
    std::uint32_t count{0};
    std::uint32_t overdue{0};  // of these, by their date: not because a connection was lost
    bool more{false};          // once these are applied
  };
  LeasesEnded end_leases(Decision& decision) const;

  // As in Holder and Timed.
  bool connection_closed(ConnectionId connection, Decision& decision) const;
  bool recovered(Decision& decision) const;
  bool time_lost(DurationMs lost, Decision& decision) const;
  void clock_accepted(TimeMs from, Decision& decision) const;
  // As in Promises: leases that ended while a transaction held their rows last for the grace, so that the worker can
  // renew them.
  bool given_up(TransactionId transaction, Decision& decision) const;

 private:
  [[nodiscard]] std::int64_t parked_until() const;
  bool renew_without_connection(std::uint32_t lease, Decision& decision) const;

  RowTable const& rows_;
  Attempts const& attempts_;
  Lifetimes const& lifetimes_;
  // Where the next search for leases of former starts begins.
  mutable std::uint32_t recovered_lease_{0};
};

}  // namespace fastjournal::rows
