// The due rows in the order of NEXT, and which of them may be handed out: by class, then by turns of the domains, then
// by (date, id). A domain or table at its limit is skipped until the limit allows more.
//
//   A class is a priority. Under aging there are no priorities between domains: all due rows are one class
//   and a domain's go by (date + priority x aging, id), its slow ones (rules.h) after all others. Otherwise an
//   old flood of one tenant would, row by row, be older than whatever another brings.
//
// A turn is counted in rows: a domain hands out as many rows as its weight, then moves to the end of its class's ring.
// New domains, and those released by a limit, join at the end. A domain whose row is merged, kicked or returned keeps
// its place if it still has rows to hand out: otherwise a tenant whose only row is updated often would never have a
// turn.
//
// All of this is derived from the rows, the rules and the time, and nothing of it is logged: turns and buckets are
// reset at a start. Only a change of the rules looks at all rows or all domains.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <absl/container/btree_set.h>
#include "fastjournal/table.h"
#include "plugins/journal/domains.h"
#include "plugins/journal/rows.h"
#include "plugins/journal/rules.h"

namespace fastjournal::journal {

// The limit that delays a due row.
enum class Limited : std::uint8_t { none, domain_concurrency, domain_rate, table_concurrency, table_rate };

class Order {
 public:
  Order(Rows& rows, std::uint64_t hash_seed) : rows_(rows), hash_seed_(hash_seed), domains_(rows, hash_seed) {}

  // -- reading ------------------------------------------------------------
  [[nodiscard]] Rules const& rules() const { return rules_; }
  [[nodiscard]] Domains const& domains() const { return domains_; }
  [[nodiscard]] std::string_view domain_of(std::uint32_t row) const { return domains_.at(row).name; }
  // Due rows, also those delayed by a limit.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // The rows that consecutive NEXTs would find now; of all domains, or one.
  [[nodiscard]] std::uint64_t available() const { return std::min(ready(), room_); }
  [[nodiscard]] std::uint64_t available(std::string_view domain) const;
  // The row for NEXT; kNoRow if there is none.
  [[nodiscard]] std::uint32_t first() const;
  [[nodiscard]] std::uint32_t first_of(std::string_view domain) const;
  // Whether it is a slow row, and another row of its domain was leased under `since` or later: the same NEXT must not
  // hand it out.
  [[nodiscard]] bool is_slow_after(std::uint32_t row, LeaseEpoch since) const;
  // Of a due row.
  [[nodiscard]] Limited limit_of(std::uint32_t row) const;
  // The number of due rows of its domain before a due row. Exact up to kLookMax of its class, then a lower bound.
  [[nodiscard]] std::uint64_t rows_before(std::uint32_t row) const;
  [[nodiscard]] bool is_due(std::string_view domain) const;
  // The table as a whole is at a limit.
  [[nodiscard]] bool is_full() const { return room_ == 0; }
  // The earliest date at which the domain may have a row available: a process date, the end of a lease, a token.
  [[nodiscard]] std::int64_t next_date(std::string_view domain) const;
  // The date of the next token for a due row; INT64_MAX: none waits.
  [[nodiscard]] std::int64_t next_token() const;
  [[nodiscard]] std::uint64_t memory_bytes() const;

  static constexpr std::uint32_t kLookMax = 1000;

  // -- time ---------------------------------------------------------------
  [[nodiscard]] std::int64_t next_due() const;
  void see(std::int64_t now) { now_ = now; }
  // Adds tokens, and drops domains whose bucket is full. At most `budget` domains; true if more remain.
  bool advance(std::int64_t now, std::size_t budget, TableObserver& observer);

  // -- rows ---------------------------------------------------------------
  // Each row joins a domain first, and parts last.
  void join(std::uint32_t row, std::string_view domain);
  void part(std::uint32_t row);
  // It waits for its date; it no longer does. The date must be the same.
  void expect(std::uint32_t row) {
    if (has_domains()) expected_ += static_cast<std::uint32_t>(domains_.at(row).future.insert(row).second);
  }
  void unexpect(std::uint32_t row) {
    if (has_domains()) expected_ -= static_cast<std::uint32_t>(domains_.at(row).future.erase(row));
  }
  // Until let_turn() its domain keeps its turn: the row is only moved.
  void keep_turn(std::uint32_t row) { kept_ = has_domains() ? domains_.of(row) : kNoDomain; }
  void let_turn();
  // It is due: sets its place, and reports it.
  void push(std::uint32_t row, TableObserver& observer);
  // Date, priority and place must still be those of push().
  void erase(std::uint32_t row);
  // It is being processed. `live`: handed out now, and counted for rates.
  void begin(std::uint32_t row, LeaseEpoch epoch, std::int64_t began, std::int64_t ends, bool live);
  void renew(std::uint32_t row, std::int64_t old_end, std::int64_t end);
  void end(std::uint32_t row, std::int64_t end, TableObserver& observer);

  // -- rules --------------------------------------------------------------
  // New rules with the same order.
  void change_limits(Rules rules);
  // Any new rules. Every row must be added again.
  void start_again(Rules rules);
  // The next advance() reports rows that the change released, as a reload has no observer.
  void tell_soon() { news_ = available() > 0; }

 private:
  // The state before a change that may release rows, to compare.
  struct Before {
    std::uint64_t available;
    std::uint64_t of_domain;
    bool table_at_limit;  // the table's limit was in effect
  };

  [[nodiscard]] bool has_domains() const { return !rules_.domain.is_none(); }
  [[nodiscard]] std::uint64_t ready() const { return rules_.limits_domains() ? ready_ : size_; }
  [[nodiscard]] std::uint8_t class_of(Row const& row) const;
  [[nodiscard]] Queue::Before before() const { return {&rows_, rules_.aging}; }
  [[nodiscard]] Queue* find_queue(Domain const& domain, std::uint8_t klass) const;
  Queue& make_queue(Domain& domain, std::uint8_t klass);
  void put(Queue& queue, std::uint32_t index);
  void take(Queue& queue, std::uint32_t index);
  [[nodiscard]] std::uint32_t head_of(Queue const& queue) const;

  // Which of the domain's queues take turns.
  void settle(Domain& domain);
  void settle_one(Domain& domain);
  [[nodiscard]] static Queue* seated(Domain const& domain);
  void enter_turns(Queue& queue);
  void leave_turns(Queue& queue);
  void replace_in_turns(Queue& old, Queue& queue);
  void spend_turn(Queue& queue);
  [[nodiscard]] std::size_t ring_of(Queue const& queue) const { return rules_.aging != 0 ? 0 : queue.klass; }

  // How many more rows the limits allow now.
  [[nodiscard]] std::uint64_t room_of(Domain const& domain) const;
  void refresh(Domain& domain);
  void refresh_table();
  void set_timer(Domain& domain, std::int64_t date);
  [[nodiscard]] std::uint64_t available(Domain const& domain) const {
    return std::min<std::uint64_t>(rules_.limits_domains() ? domain.ready : domain.due, room_);
  }
  [[nodiscard]] Before look(Domain const& domain) const { return {available(), available(domain), room_ <= ready()}; }
  void tell(Before const& before, Domain const& domain, TableObserver& observer) const;
  // Of the table as a whole.
  void tell(std::uint64_t before, TableObserver& observer) const;

  Rows& rows_;
  std::uint64_t hash_seed_;
  Rules rules_;
  Domains domains_;
  std::unique_ptr<std::array<Queue*, 256>> rings_;  // by class, whose turn it is; made with the first due row
  std::array<std::uint64_t, 4> used_{};             // classes with a ring
  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> tokens_;  // (date, domain) of those that wait for a token
  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> idle_;    // (date, domain) without rows
  Bucket bucket_;
  std::int64_t token_at_{INT64_MAX};  // when the table's bucket allows more
  std::uint64_t room_{UINT64_MAX};    // how many more rows the table's limits allow
  std::uint64_t ready_{0};            // of all domains
  std::uint32_t size_{0};
  std::uint32_t leased_{0};
  std::uint32_t queues_{0};
  std::uint32_t treed_{0};
  std::uint32_t expected_{0};
  std::int64_t now_{0};
  std::uint32_t kept_{kNoDomain};  // its turn is kept
  bool news_{false};               // released rows after a change of rules were not reported yet
};

}  // namespace fastjournal::journal
