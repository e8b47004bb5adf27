// The due rows in the order of NEXT, and which of them may be handed out: by class, then by turns of the domains, then
// by (date, id). A domain or table at its limit is skipped until the limit allows more.
//
//   A class is a priority. Under aging there are no priorities between domains: all due rows are one class
//   and a domain's go by (date + priority x aging, id), its slow ones (rules.h) after all others. Otherwise an
//   old flood of one tenant would, row by row, be older than whatever another brings.
//
// How turns go is in turns.h, what limits allow in limits.h.
//
// All of this is derived from the rows, the rules and the time, and nothing of it is logged: turns and buckets are
// reset at a start. Only a change of the rules looks at all rows or all domains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include "base/hash.h"
#include "fastjournal/table.h"
#include "plugins/rows/domains.h"
#include "plugins/rows/limits.h"
#include "plugins/rows/queue.h"
#include "plugins/rows/rows.h"
#include "plugins/rows/rules.h"
#include "plugins/rows/turns.h"

namespace fastjournal::rows {

class Order {
 public:
  Order(Rows& rows, std::uint64_t hash_seed) : rows_(rows), hash_seed_(hash_seed), domains_(rows, hash_seed) {}

  // -- reading ------------------------------------------------------------
  [[nodiscard]] Rules const& rules() const { return rules_; }
  [[nodiscard]] Domains const& domains() const { return domains_; }
  [[nodiscard]] std::string_view domain_of(std::uint32_t row) const { return domains_.at(row).name; }
  // Due rows, also those delayed by a limit.
  [[nodiscard]] std::uint32_t size() const { return limits_.due(); }
  // The rows that consecutive NEXTs would find now; of all domains, or one.
  [[nodiscard]] std::uint64_t available() const { return limits_.available(); }
  [[nodiscard]] std::uint64_t available(std::string_view domain) const;
  // The row for NEXT; kNoRow if there is none.
  [[nodiscard]] std::uint32_t first() const;
  [[nodiscard]] std::uint32_t first_of(std::string_view domain) const;
  // That of several domains, without turns: by priority, and as within a domain.
  [[nodiscard]] std::uint32_t first_of(std::span<std::string_view const> domains) const;
  // 0: the domain is not paused; INT64_MAX: until it is resumed.
  [[nodiscard]] std::int64_t paused_until(std::string_view domain) const {
    auto const found = pauses_.find(domain);
    return found == pauses_.end() || found->second <= limits_.now() ? 0 : found->second;
  }
  // Whether it is a slow row, and another row of its domain was leased under `since` or later: the same NEXT must not
  // hand it out.
  [[nodiscard]] bool is_slow_after(std::uint32_t row, LeaseEpoch since) const;
  // Of a due row.
  [[nodiscard]] Limited limit_of(std::uint32_t row) const { return limits_.limit_of(domains_.at(row)); }
  // Of a domain: rows that it may hand out, what delays its due rows, whether it takes turns, and its first due row,
  // also while that is delayed; kNoRow: none is due.
  [[nodiscard]] std::uint64_t available(Domain const& domain) const { return limits_.available(domain); }
  [[nodiscard]] Limited limit_of(Domain const& domain) const { return limits_.limit_of(domain); }
  [[nodiscard]] bool takes_turns(Domain const& domain) const;
  [[nodiscard]] std::uint32_t head_of(Domain const& domain) const;
  // The number of due rows of its domain before a due row. Exact up to kLookMax of its class, then a lower bound.
  [[nodiscard]] std::uint64_t rows_before(std::uint32_t row) const;
  // Its due rows with a priority below this; exact up to `max` of those beyond kPlainPriorityMax, then a lower bound.
  [[nodiscard]] std::uint64_t count_below(Domain const& domain, std::uint32_t priority, std::uint32_t max) const;
  [[nodiscard]] bool is_due(std::string_view domain) const;
  // The table as a whole is at a limit.
  [[nodiscard]] bool is_full() const { return limits_.is_full(); }
  // The earliest date at which the domain may have a row available: a process date, the end of a lease, a token.
  [[nodiscard]] std::int64_t next_date(std::string_view domain) const;
  [[nodiscard]] std::int64_t next_date(Domain const& domain) const;
  // The date of the next token for a due row; INT64_MAX: none waits.
  [[nodiscard]] std::int64_t next_token() const { return limits_.next_token(); }
  [[nodiscard]] std::uint64_t memory_bytes() const;

  static constexpr std::uint32_t kLookMax = 1000;

  // -- time ---------------------------------------------------------------
  [[nodiscard]] std::int64_t next_due() const { return news_ ? limits_.now() : limits_.next_due(); }
  void see(std::int64_t now) { limits_.see(now); }
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
  // It waits for a row of its group; it no longer does. As above.
  void put_behind(std::uint32_t row) {
    expected_ += static_cast<std::uint32_t>(domains_.at(row).behind.insert(row).second);
  }
  void take_behind(std::uint32_t row) { expected_ -= static_cast<std::uint32_t>(domains_.at(row).behind.erase(row)); }
  // Until let_turn() its domain keeps its turn: the row is only moved.
  void keep_turn(std::uint32_t row) { turns_.keep(has_domains() ? domains_.of(row) : kNoDomain); }
  void let_turn() { turns_.let(domains_); }
  // It is due: sets its place, and reports it.
  void push(std::uint32_t row, TableObserver& observer);
  // Date, priority and place must still be those of push().
  void erase(std::uint32_t row);
  // It is being processed. `live`: handed out now, and counted for rates.
  void begin(std::uint32_t row, LeaseEpoch epoch, std::int64_t began, std::int64_t ends, bool live);
  void renew(std::uint32_t row, std::int64_t old_end, std::int64_t end);
  void end(std::uint32_t row, std::int64_t end, TableObserver& observer);

  // -- rules --------------------------------------------------------------
  // A domain hands out nothing before this date, also one that has no rows yet; 0: it does again.
  void pause(std::string_view domain, std::int64_t until, TableObserver& observer);
  // New rules with the same order.
  void change_limits(Rules rules);
  // Any new rules. Every row must be added again.
  void start_again(Rules rules);
  // The next advance() reports rows that the change released, as a reload has no observer.
  void tell_soon() { news_ = available() > 0; }

 private:
  [[nodiscard]] bool has_domains() const { return !rules_.domain.is_none(); }
  [[nodiscard]] std::uint8_t class_of(Row const& row) const;
  [[nodiscard]] QueueOrder within() const { return {&rows_, rules_.aging, rules_.by_number}; }
  [[nodiscard]] Queue* find_queue(Domain const& domain, std::uint8_t klass) const;
  Queue& make_queue(Domain& domain, std::uint8_t klass);
  // After a change of its due or leased rows.
  void refresh(Domain& domain) {
    if (limits_.refresh(domain)) turns_.settle(domain);
  }
  void drop(Domain const& domain);

  Rows& rows_;
  std::uint64_t hash_seed_;
  Rules rules_;
  Limits limits_{rules_};
  Turns turns_;
  Domains domains_;
  // Until when; some may be over.
  absl::flat_hash_map<std::string, std::int64_t, NameHash, std::equal_to<>> pauses_{0, NameHash{hash_seed_}};
  std::uint32_t queues_{0};
  std::uint32_t treed_{0};
  std::uint32_t expected_{0};
  bool news_{false};  // released rows after a change of rules were not reported yet
};

}  // namespace fastjournal::rows
