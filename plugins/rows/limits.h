// How many due rows may be handed out now: concurrency and rates (rules.h), of the table and of each domain, and pauses of
// domains. A domain or table at its limit has none to hand out until a lease ends, a bucket has another token, or the
// pause is over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <absl/container/btree_set.h>
#include "fastjournal/table.h"
#include "plugins/rows/bucket.h"
#include "plugins/rows/domains.h"
#include "plugins/rows/rules.h"

namespace fastjournal::rows {

// The limit that delays a due row.
enum class Limited : std::uint8_t { none, domain_concurrency, domain_rate, table_concurrency, table_rate, paused };

// Of one order, beside its rules, which outlive it. It counts the due and the leased rows of the table and, in Domain,
// of each domain; after a change of either, refresh() counts anew what may be handed out.
class Limits {
 public:
  explicit Limits(Rules const& rules) : rules_(rules) {}

  // -- reading ------------------------------------------------------------
  [[nodiscard]] std::uint32_t due() const { return due_; }
  [[nodiscard]] std::uint32_t leased() const { return leased_; }
  [[nodiscard]] std::uint64_t available() const { return std::min(ready(), room_); }
  [[nodiscard]] std::uint64_t available(Domain const& domain) const {
    return std::min<std::uint64_t>(looks_at_domains() ? domain.ready : domain.due, room_);
  }
  // The table as a whole is at a limit.
  [[nodiscard]] bool is_full() const { return room_ == 0; }
  // Of a due row of this domain.
  [[nodiscard]] Limited limit_of(Domain const& domain) const;
  // The date of the table's next token, if due rows wait for it; of any token. INT64_MAX: none.
  [[nodiscard]] std::int64_t table_token() const { return token_at_; }
  [[nodiscard]] std::int64_t next_token() const;
  [[nodiscard]] std::int64_t next_due() const {
    return std::min({token_at_, tokens_.empty() ? INT64_MAX : tokens_.begin()->first,
                     idle_.empty() ? INT64_MAX : idle_.begin()->first});
  }
  // The bucket of a domain without rows is not full yet: dropped and recreated it would have all its tokens again.
  [[nodiscard]] bool is_kept(Domain const& domain) const {
    return rules_.rate_domain.limits() && domain.bucket.full(rules_.rate_domain, now_) > now_;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const { return (tokens_.size() + idle_.size()) * 20; }

  // -- counting -----------------------------------------------------------
  void see(std::int64_t now) { now_ = now; }
  [[nodiscard]] std::int64_t now() const { return now_; }
  void add_due(Domain& domain) {
    ++due_;
    ++domain.due;
  }
  void remove_due(Domain& domain) {
    --due_;
    --domain.due;
  }
  // `live`: handed out now, and counted for rates.
  void begin_lease(Domain& domain, std::int64_t began, bool live);
  void end_lease(Domain& domain) {
    --leased_;
    --domain.leased;
  }
  // True: whether the domain is at a limit has changed.
  [[nodiscard]] bool refresh(Domain& domain) {
    bool const changed = looks_at_domains() && refresh_domain(domain);
    if (rules_.limits_table()) refresh_table();
    return changed;
  }
  void refresh_table();

  // -- telling ------------------------------------------------------------
  // The state before a change that may release rows, to compare.
  struct Before {
    std::uint64_t available;
    std::uint64_t of_domain;
    bool table_at_limit;  // the table's limit was in effect
  };
  [[nodiscard]] Before look(Domain const& domain) const { return {available(), available(domain), room_ <= ready()}; }
  // Rows that were released since.
  void tell(Before const& before, Domain const& domain, TableObserver& observer) const;
  void tell(std::uint64_t before, TableObserver& observer) const;

  // -- dates --------------------------------------------------------------
  // Of domains, the first whose token has come; kNoDomain: none. Of those without rows, whose bucket is full.
  [[nodiscard]] std::uint32_t with_token(std::int64_t now) const {
    return tokens_.empty() || tokens_.begin()->first > now ? kNoDomain : tokens_.begin()->second;
  }
  [[nodiscard]] std::uint32_t idle(std::int64_t now) const {
    return idle_.empty() || idle_.begin()->first > now ? kNoDomain : idle_.begin()->second;
  }
  // 0: it does not wait.
  void set_timer(Domain& domain, std::int64_t date);

  // -- rules --------------------------------------------------------------
  // Whether domains may be paused. True: each of them must be changed, as for other rules.
  [[nodiscard]] bool set_pauses(bool has_pauses) {
    bool const before = looks_at_domains();
    has_pauses_ = has_pauses;
    return looks_at_domains() != before;
  }
  // The rules have changed. Then each domain; true: it is not at a limit any more, as there is none.
  void change(Rules const& before);
  [[nodiscard]] bool change(Domain& domain, Rules const& before);
  // No row is left.
  void start_again();

 private:
  [[nodiscard]] bool looks_at_domains() const { return rules_.limits_domains() || has_pauses_; }
  [[nodiscard]] std::uint64_t ready() const { return looks_at_domains() ? ready_ : due_; }
  // How many more rows the domain's limits allow now.
  [[nodiscard]] std::uint64_t room_of(Domain const& domain) const;
  [[nodiscard]] bool refresh_domain(Domain& domain);

  Rules const& rules_;
  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> tokens_;  // (date, domain) of those that wait for a token
  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> idle_;    // (date, domain) without rows
  Bucket bucket_;
  std::int64_t token_at_{INT64_MAX};  // when the table's bucket allows more
  std::uint64_t room_{UINT64_MAX};    // how many more rows the table's limits allow
  std::uint64_t ready_{0};            // of all domains
  std::uint32_t due_{0};
  std::uint32_t leased_{0};
  std::int64_t now_{0};
  bool has_pauses_{false};
};

}  // namespace fastjournal::rows
