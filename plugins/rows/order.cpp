#include "plugins/rows/order.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace fastjournal::rows {
namespace {

// The empty queues that a domain keeps for reuse.
constexpr std::size_t kQueuesKept = 4;

}  // namespace

bool QueueOrder::is_before(std::uint32_t a, std::uint32_t b) const {
  if (std::uint32_t const left = rows->priority(a), right = rows->priority(b); left != right) return left < right;
  std::int64_t const left = by_number ? 0 : date((*rows)[a]);
  std::int64_t const right = by_number ? 0 : date((*rows)[b]);
  return left != right ? left < right : (*rows)[a].id() < (*rows)[b].id();
}

// ---------------------------------------------------------------------------
// Reading

std::uint8_t Order::class_of(Row const& row) const {
  if (rules_.aging == 0) return row.priority();
  return row.priority() >= rules_.slow_from ? 1 : 0;
}

Queue* Order::find_queue(Domain const& domain, std::uint8_t klass) const {
  auto const at = std::lower_bound(domain.queues.begin(), domain.queues.end(), klass,
                                   [](auto const& queue, std::uint8_t wanted) { return queue->klass < wanted; });
  return at == domain.queues.end() || (*at)->klass != klass ? nullptr : at->get();
}

std::uint32_t Order::first() const {
  if (limits_.is_full()) return kNoRow;
  Queue const* const queue = turns_.first();
  return queue == nullptr ? kNoRow : queue->head(within());
}

std::uint32_t Order::first_of(std::string_view name) const {
  std::uint32_t const number = domains_.find(name);
  return limits_.is_full() || number == kNoDomain || domains_[number].at_limit ? kNoRow : head_of(domains_[number]);
}

std::uint32_t Order::first_of(std::span<std::string_view const> names) const {
  std::uint32_t best = kNoRow;
  for (std::string_view const name : names) {
    std::uint32_t const row = first_of(name);
    if (row == kNoRow || row == best) continue;
    bool const is_better = best == kNoRow || rows_[row].priority() < rows_[best].priority() ||
                           (rows_[row].priority() == rows_[best].priority() && within()(row, best));
    if (is_better) best = row;
  }
  return best;
}

std::uint32_t Order::head_of(Domain const& domain) const {
  for (auto const& queue : domain.queues)
    if (queue->size() > 0) return queue->head(within());
  return kNoRow;
}

bool Order::takes_turns(Domain const& domain) const {
  return std::ranges::any_of(domain.queues, [](auto const& queue) { return Turns::takes_turns(*queue); });
}

std::uint64_t Order::available(std::string_view name) const {
  std::uint32_t const number = domains_.find(name);
  return number == kNoDomain ? 0 : limits_.available(domains_[number]);
}

bool Order::is_due(std::string_view name) const {
  std::uint32_t const number = domains_.find(name);
  return number != kNoDomain && domains_[number].due > 0;
}

bool Order::is_slow_after(std::uint32_t row, LeaseEpoch since) const {
  return rows_[row].priority() >= rules_.slow_from && domains_.at(row).last_normal >= since;
}

std::uint64_t Order::rows_before(std::uint32_t row) const {
  Domain const& domain = domains_.at(row);
  std::uint8_t const klass = class_of(rows_[row]);
  std::uint64_t count = 0;
  for (auto const& queue : domain.queues) {
    if (queue->klass < klass) count += queue->size();
    if (queue->klass == klass) count += queue->count_before(row, within(), kLookMax);
  }
  return count;
}

std::uint64_t Order::count_below(Domain const& domain, std::uint32_t priority, std::uint32_t max) const {
  std::uint64_t count = 0;
  for (auto const& queue : domain.queues) {
    if (queue->klass >= priority) break;
    bool const is_last = queue->klass == kPlainPriorityMax && rows_.has_details();
    count += is_last ? queue->count_while([&](std::uint32_t row) { return rows_.priority(row) < priority; }, rows_, max)
                     : queue->size();
  }
  return count;
}

std::int64_t Order::next_date(std::string_view name) const {
  std::uint32_t const number = domains_.find(name);
  return number == kNoDomain ? INT64_MAX : next_date(domains_[number]);
}

std::int64_t Order::next_date(Domain const& domain) const {
  std::int64_t date = INT64_MAX;
  if (!domain.future.empty()) date = rows_[*domain.future.begin()].date();
  if (!domain.lease_ends.empty()) date = std::min(date, domain.lease_ends.begin()->first);
  if (domain.due > 0 && domain.timer != 0) date = std::min(date, domain.timer);
  if (domain.due > 0) date = std::min(date, limits_.table_token());
  return date;
}

std::uint64_t Order::memory_bytes() const {
  // Rows in trees, and future rows, take 4 bytes and unused space of the nodes; dates of a domain's leases 16 bytes and
  // the same.
  return sizeof *this + turns_.memory_bytes() + domains_.memory_bytes() + queues_ * (sizeof(Queue) + 24) +
         (treed_ + expected_) * 6ULL + limits_.memory_bytes() + (has_domains() ? limits_.leased() * 20ULL : 0) +
         pauses_.capacity() * 64ULL;
}

// ---------------------------------------------------------------------------
// Queues

Queue& Order::make_queue(Domain& domain, std::uint8_t klass) {
  auto const at = std::lower_bound(domain.queues.begin(), domain.queues.end(), klass,
                                   [](auto const& queue, std::uint8_t wanted) { return queue->klass < wanted; });
  if (at != domain.queues.end() && (*at)->klass == klass) return **at;
  ++queues_;
  return **domain.queues.insert(at, std::make_unique<Queue>(domain.number, klass));
}

void Order::push(std::uint32_t index, TableObserver& observer) {
  Domain& domain = domains_.at(index);
  Row const& row = rows_[index];
  Queue& queue = make_queue(domain, class_of(row));
  queue.put(rows_, index, within());
  if (row.place() == Place::treed) ++treed_;
  limits_.add_due(domain);
  if (queue.size() == 1) turns_.settle(domain);
  refresh(domain);
  // Also while a limit delays it, for row listeners.
  observer.available(row.id(), domain.name, TimeMs{row.date()});
}

void Order::erase(std::uint32_t index) {
  Domain& domain = domains_.at(index);
  Row const& row = rows_[index];
  Queue& queue = *find_queue(domain, class_of(row));
  if (row.place() == Place::treed) --treed_;
  queue.take(rows_, index);
  limits_.remove_due(domain);
  if (queue.size() == 0) {
    turns_.settle(domain);
    if (domain.queues.size() > kQueuesKept && !Turns::takes_turns(queue)) {
      std::erase_if(domain.queues, [&](auto const& other) { return other.get() == &queue; });
      --queues_;
    }
  }
  refresh(domain);
}

// ---------------------------------------------------------------------------
// Domains and leases

void Order::join(std::uint32_t row, std::string_view name) {
  bool const fresh = domains_.join(row, name);
  Domain& domain = domains_.at(row);
  if (fresh) domain.weight = rules_.weight_of(name);
  if (fresh && !pauses_.empty()) domain.paused_until = paused_until(name);
  if (domain.rows == 1 && !fresh) limits_.set_timer(domain, 0);
}

void Order::part(std::uint32_t row) {
  Domain& domain = domains_.at(row);
  if (turns_.keeps(domain)) let_turn();
  --domain.rows;
  if (domain.rows > 0 || domain.number == kNameless) return;
  FJ_CHECK(domain.due == 0 && domain.leased == 0 && domain.future.empty() && domain.behind.empty(),
           "the last row of a domain stands nowhere");
  if (limits_.is_kept(domain)) {
    refresh(domain);
    return;
  }
  limits_.set_timer(domain, 0);
  drop(domain);
}

void Order::drop(Domain const& domain) {
  queues_ -= static_cast<std::uint32_t>(domain.queues.size());
  domains_.drop(domain.number);
}

void Order::begin(std::uint32_t index, LeaseEpoch epoch, std::int64_t began, std::int64_t ends, bool live) {
  Domain& domain = domains_.at(index);
  Row const& row = rows_[index];
  limits_.begin_lease(domain, began, live);
  if (row.priority() < rules_.slow_from) domain.last_normal = std::max(domain.last_normal, epoch);
  if (has_domains()) domain.lease_ends.emplace(ends, index);
  // Leases under other rules, or from before a start, do not count for turns.
  Queue* const queue = !live ? nullptr : rules_.aging != 0 ? Turns::seated(domain) : find_queue(domain, class_of(row));
  if (queue != nullptr) turns_.spend(*queue, domain);
  refresh(domain);
}

void Order::renew(std::uint32_t row, std::int64_t old_end, std::int64_t end) {
  if (!has_domains() || old_end == end) return;
  Domain& domain = domains_.at(row);
  domain.lease_ends.erase({old_end, row});
  domain.lease_ends.emplace(end, row);
}

void Order::end(std::uint32_t row, std::int64_t end, TableObserver& observer) {
  Domain& domain = domains_.at(row);
  Limits::Before const before = limits_.look(domain);
  limits_.end_lease(domain);
  if (has_domains()) domain.lease_ends.erase({end, row});
  refresh(domain);
  limits_.tell(before, domain, observer);
}

// ---------------------------------------------------------------------------
// Time

bool Order::advance(std::int64_t now, std::size_t budget, TableObserver& observer) {
  limits_.see(now);
  if (news_) {
    news_ = false;
    limits_.tell(0, observer);
  }
  if (limits_.table_token() <= now) {
    std::uint64_t const before = available();
    limits_.refresh_table();
    limits_.tell(before, observer);
  }
  for (std::uint32_t number = limits_.with_token(now); number != kNoDomain; number = limits_.with_token(now)) {
    if (budget-- == 0) return true;
    Domain& domain = domains_[number];
    Limits::Before const before = limits_.look(domain);
    refresh(domain);
    limits_.tell(before, domain, observer);
  }
  for (std::uint32_t number = limits_.idle(now); number != kNoDomain; number = limits_.idle(now)) {
    if (budget-- == 0) return true;
    limits_.set_timer(domains_[number], 0);
    drop(domains_[number]);
  }
  return false;
}

// ---------------------------------------------------------------------------
// Rules

void Order::pause(std::string_view name, std::int64_t until, TableObserver& observer) {
  absl::erase_if(pauses_, [&](auto const& one) { return one.second <= limits_.now() || one.first == name; });
  if (until != 0) pauses_.emplace(name, until);
  std::uint32_t const number = domains_.find(name);
  if (number == kNoDomain) {
    if (limits_.set_pauses(!pauses_.empty())) change_limits(rules_);
    return;
  }
  Domain& domain = domains_[number];
  Limits::Before const before = limits_.look(domain);
  domain.paused_until = until;
  if (limits_.set_pauses(!pauses_.empty()))
    change_limits(rules_);
  else
    refresh(domain);
  if (domains_.find(name) == number) limits_.tell(before, domain, observer);
}

void Order::change_limits(Rules rules) {
  Rules const before = std::exchange(rules_, std::move(rules));
  limits_.change(before);
  for (std::uint32_t number = 0; number < domains_.end(); ++number) {
    if (!domains_.exists(number)) continue;
    Domain& domain = domains_[number];
    domain.weight = rules_.weight_of(domain.name);
    if (limits_.change(domain, before)) turns_.settle(domain);
    if (domain.rows == 0 && number != kNameless && domain.timer == 0) {
      drop(domain);
      continue;
    }
    refresh(domain);
  }
}

void Order::start_again(Rules rules) {
  domains_ = Domains{rows_, hash_seed_};
  rules_ = std::move(rules);
  if (rules_.by_number) rows_.order_otherwise();
  turns_.start_again(rules_.aging != 0);
  limits_.start_again();
  queues_ = treed_ = expected_ = 0;
  domains_[kNameless].weight = rules_.weight_of({});
}

}  // namespace fastjournal::rows
