// The place of each row (rows.h has them), and the structure of each place: the timer wheel for rows whose date is to
// come, the order for due ones, the leases, and the deadlines of rows that expire, were parked or are held. A row enters
// a place and leaves it; here it is in exactly the structures of its place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <absl/container/btree_set.h>
#include "fastjournal/table.h"
#include "fastjournal/types.h"
#include "model/timer/wheel.h"
#include "plugins/rows/groups.h"
#include "plugins/rows/keys.h"
#include "plugins/rows/leases.h"
#include "plugins/rows/order.h"
#include "plugins/rows/payloads.h"
#include "plugins/rows/rows.h"
#include "plugins/rows/waits.h"

namespace fastjournal::rows {

// Of one table, beside its rows, payloads and keys, which outlive it.
class Places {
 public:
  using Deadlines = absl::btree_set<std::pair<std::int64_t, std::uint32_t>>;  // (date, row)

  Places(Rows& rows, Payloads const& payloads, Keys& keys, std::uint64_t hash_seed);

  // -- reading ------------------------------------------------------------
  [[nodiscard]] Order const& order() const { return order_; }
  [[nodiscard]] Leases const& leases() const { return leases_; }
  // Of a row that is processed or held.
  [[nodiscard]] Lease const& lease_of(std::uint32_t row) const { return leases_[rows_[row].next]; }
  // Waiting and parked rows that expire.
  [[nodiscard]] Deadlines const& expiries() const { return expiries_; }
  // By when they were parked, or their lease ended.
  [[nodiscard]] Deadlines const& parked() const { return parked_; }
  [[nodiscard]] Deadlines const& held() const { return held_; }
  [[nodiscard]] std::uint64_t future() const { return wheel_.size(); }
  [[nodiscard]] std::uint64_t behind() const { return behind_; }
  [[nodiscard]] std::uint64_t blocked() const { return blocked_; }
  [[nodiscard]] Groups const& groups() const { return groups_; }
  [[nodiscard]] Waits const& waits() const { return waits_; }
  [[nodiscard]] LeaseEpoch last_epoch() const { return last_epoch_; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return order_.memory_bytes() + wheel_.memory_bytes() + leases_.memory_bytes() + groups_.memory_bytes() +
           waits_.memory_bytes() + (expiries_.size() + parked_.size() + held_.size()) * 20;
  }

  // -- time ---------------------------------------------------------------
  [[nodiscard]] std::int64_t now() const { return now_; }
  // The next date with work for advance(); the date of the first row that is not due.
  [[nodiscard]] TimeMs next_due() const {
    if (waits_.has_work()) [[unlikely]]
      return TimeMs{now_};
    return std::min(wheel_.next_due(), TimeMs{order_.next_due()});
  }
  [[nodiscard]] TimeMs first_future() const { return wheel_.first_date(); }
  // When a row may become available again; TimeMs::max(): not known. Of the table, or of one domain.
  [[nodiscard]] TimeMs next_date() const;
  [[nodiscard]] TimeMs next_date(std::string_view domain) const;
  // New rows with dates up to `now` are due; never goes back.
  void see(std::int64_t now) {
    now_ = std::max(now_, now);
    order_.see(now_);
  }
  bool advance(std::int64_t now, std::size_t budget, TableObserver& observer);
  void say_progress(std::uint32_t row, Progress progress) {
    leases_.say_progress(rows_[row].next, std::move(progress));
  }
  // The clock was ahead. No row waits in a place meanwhile.
  void lower_now(std::int64_t now);
  void lower_leases(std::int64_t from, std::int64_t to);

  // -- domains ------------------------------------------------------------
  // Each row joins a domain first, and parts last.
  void join(std::uint32_t row, std::string_view domain) { order_.join(row, domain); }
  void join_group(std::uint32_t row, std::string_view domain, std::string_view group) {
    groups_.join(row, domain, group);
  }
  void part(std::uint32_t row, TableObserver& observer);
  // Until let_turn() its domain keeps its turn: the row is only moved.
  void keep_turn(std::uint32_t row) { order_.keep_turn(row); }
  void let_turn() { order_.let_turn(); }

  // -- places -------------------------------------------------------------
  // The row waits: for its date, for the rows of its key that are leased, for those of its group, or for its turn. It was
  // in no place.
  void wait(std::uint32_t row, TableObserver& observer);
  // A row that waits, or is about to, and is in no place: it waits for these too.
  void block(std::uint32_t row, After const& after);
  // It does not wait for any row or group any more; it is in no place.
  void unblock(std::uint32_t row) {
    if (rows_[row].place() == Place::blocked) [[unlikely]]
      forget_waits(row);
  }
  // A row, or what is waited for of a group, came to this end; a row went on as another one.
  void ended(ObjectId id, After::Kind kind, Outcome outcome, TableObserver& observer);
  void release(std::uint32_t row, TableObserver& observer);
  void moved(ObjectId from, ObjectId to) { waits_.moved(from, to); }
  // Of a waiting row, as its date, or what it waits for, may have changed.
  void wait_again(std::uint32_t row, TableObserver& observer);
  // A waiting row is given to a worker. `live`: now, not replayed.
  void lease(std::uint32_t row, Leases::Terms const& terms, bool live);
  // A row that was in no place: it is leased, or held since the end of its lease.
  void resume(std::uint32_t row, Leases::Terms const& terms);
  // The lease of a row that is processed does not end by itself, for as long as a transaction holds the row.
  void keep(std::uint32_t row) { leases_.keep(rows_[row].next); }
  void let(std::uint32_t row) { leases_.let(rows_[row].next); }
  // A held row is processed again.
  void renew(std::uint32_t row, Leases::Terms const& terms, TableObserver& observer);
  // The lease of a row that is processed is over, and nothing is decided.
  void hold(std::uint32_t row, std::int64_t at, TableObserver& observer);
  void park(std::uint32_t row, std::int64_t at);
  void park_earlier(std::uint32_t row, std::int64_t before, std::int64_t at);
  void leave(std::uint32_t row, TableObserver& observer);
  // The row is no longer processed: the one behind it, or the next of its group, may be handed out.
  void free_twin(std::uint32_t row, TableObserver& observer);

  // -- rules --------------------------------------------------------------
  void change_limits(Rules rules) { order_.change_limits(std::move(rules)); }
  void pause(std::string_view domain, std::int64_t until, TableObserver& observer) {
    order_.pause(domain, until, observer);
  }
  // Another order: every row must be told to it again.
  void start_again(Rules rules) { order_.start_again(std::move(rules)); }
  void tell_order(std::uint32_t row, std::string_view domain, TableObserver& observer);
  // Twins of rows that are processed become due, or wait for them; and what became available is reported soon.
  void free_all_twins(TableObserver& observer);
  void tell_soon() { order_.tell_soon(); }

 private:
  struct WheelLinks {
    Rows* rows;
    [[nodiscard]] std::uint32_t next(std::uint32_t e) const { return (*rows)[e].next; }
    [[nodiscard]] std::uint32_t prev(std::uint32_t e) const { return (*rows)[e].prev; }
    void set_next(std::uint32_t e, std::uint32_t v) const { (*rows)[e].next = v; }
    void set_prev(std::uint32_t e, std::uint32_t v) const { (*rows)[e].prev = v; }
    [[nodiscard]] std::int64_t date(std::uint32_t e) const { return (*rows)[e].date(); }
    [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const { return (*rows)[a].id() < (*rows)[b].id(); }
  };

  [[nodiscard]] std::int64_t expiry_of(std::uint32_t row) const {
    return payloads_.view(rows_[row].payload).facts.expires;
  }
  void expect_expiry(std::uint32_t row) {
    if (rows_[row].expires()) expiries_.emplace(expiry_of(row), row);
  }
  void forget_expiry(std::uint32_t row) {
    if (rows_[row].expires()) expiries_.erase({expiry_of(row), row});
  }

  void forget_waits(std::uint32_t row);
  // Waits for its date, or for its turn: nothing else is in its way.
  void stand(std::uint32_t row, TableObserver& observer);
  // Only the next row of a group stands.
  void settle(Group& group, TableObserver& observer);

  Rows& rows_;
  Payloads const& payloads_;
  Keys& keys_;
  Groups groups_;
  Waits waits_;
  Order order_;
  timer::Wheel<WheelLinks> wheel_;
  Leases leases_;
  Deadlines expiries_;
  Deadlines parked_;
  Deadlines held_;
  std::uint64_t behind_{0};
  std::uint64_t blocked_{0};
  std::int64_t now_{0};
  LeaseEpoch last_epoch_{};
};

}  // namespace fastjournal::rows
