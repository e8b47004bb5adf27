#include "plugins/journal/order.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace fastjournal::journal {
namespace {

// The empty queues that a domain keeps for reuse.
constexpr std::size_t kQueuesKept = 4;

}  // namespace

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

std::uint32_t Order::head_of(Queue const& queue) const {
  std::uint32_t best = queue.tree == nullptr || queue.tree->empty() ? kNoRow : *queue.tree->begin();
  for (Queue::List const& list : queue.lists)
    if (list.head != kNoRow && (best == kNoRow || before()(list.head, best))) best = list.head;
  return best;
}

std::uint32_t Order::first() const {
  if (room_ == 0) return kNoRow;
  for (std::size_t word = 0; word < used_.size(); ++word)
    if (used_[word] != 0)
      return head_of(*(*rings_)[word * 64 + static_cast<std::size_t>(std::countr_zero(used_[word]))]);
  return kNoRow;
}

std::uint32_t Order::first_of(std::string_view name) const {
  std::uint32_t const number = domains_.find(name);
  if (room_ == 0 || number == kNoDomain || domains_[number].at_limit) return kNoRow;
  for (auto const& queue : domains_[number].queues)
    if (queue->size > 0) return head_of(*queue);
  return kNoRow;
}

std::uint64_t Order::available(std::string_view name) const {
  std::uint32_t const number = domains_.find(name);
  return number == kNoDomain ? 0 : available(domains_[number]);
}

bool Order::is_due(std::string_view name) const {
  std::uint32_t const number = domains_.find(name);
  return number != kNoDomain && domains_[number].due > 0;
}

bool Order::is_slow_after(std::uint32_t row, LeaseEpoch since) const {
  return rows_[row].priority() >= rules_.slow_from && domains_.at(row).last_normal >= since;
}

Limited Order::limit_of(std::uint32_t row) const {
  Domain const& domain = domains_.at(row);
  if (domain.at_limit)
    return rules_.concurrency_domain != 0 && domain.leased >= rules_.concurrency_domain ? Limited::domain_concurrency
                                                                                        : Limited::domain_rate;
  if (room_ > 0) return Limited::none;
  return rules_.concurrency != 0 && leased_ >= rules_.concurrency ? Limited::table_concurrency : Limited::table_rate;
}

std::uint64_t Order::rows_before(std::uint32_t row) const {
  Domain const& domain = domains_.at(row);
  std::uint8_t const klass = class_of(rows_[row]);
  std::uint64_t count = 0;
  for (auto const& queue : domain.queues) {
    if (queue->klass < klass) count += queue->size;
    if (queue->klass != klass) continue;
    std::uint32_t looked = 0;
    // From the front of each queue, while its rows precede.
    for (Queue::List const& list : queue->lists)
      for (std::uint32_t at = list.head; at != kNoRow && before()(at, row) && looked < kLookMax; at = rows_[at].next)
        ++looked;
    if (queue->tree != nullptr)
      for (auto at = queue->tree->begin(); at != queue->tree->end() && before()(*at, row) && looked < kLookMax; ++at)
        ++looked;
    count += looked;
  }
  return count;
}

std::int64_t Order::next_token() const {
  std::int64_t const domains = tokens_.empty() ? INT64_MAX : tokens_.begin()->first;
  return std::min(domains, size_ == 0 ? INT64_MAX : token_at_);
}

std::int64_t Order::next_date(std::string_view name) const {
  std::uint32_t const number = domains_.find(name);
  if (number == kNoDomain) return INT64_MAX;
  Domain const& domain = domains_[number];
  std::int64_t date = INT64_MAX;
  if (!domain.future.empty()) date = rows_[*domain.future.begin()].date();
  if (!domain.lease_ends.empty()) date = std::min(date, domain.lease_ends.begin()->first);
  if (domain.due > 0 && domain.timer != 0) date = std::min(date, domain.timer);
  if (domain.due > 0) date = std::min(date, token_at_);
  return date;
}

std::uint64_t Order::memory_bytes() const {
  // Rows in trees, and future rows, take 4 bytes and unused space of the nodes; dates of a domain's leases 16 bytes and
  // the same.
  return sizeof *this + (rings_ == nullptr ? 0 : sizeof *rings_) + domains_.memory_bytes() +
         queues_ * (sizeof(Queue) + 24) + (treed_ + expected_) * 6ULL + (tokens_.size() + idle_.size()) * 20 +
         (has_domains() ? leased_ * 20ULL : 0);
}

// ---------------------------------------------------------------------------
// Queues

Queue& Order::make_queue(Domain& domain, std::uint8_t klass) {
  auto const at = std::lower_bound(domain.queues.begin(), domain.queues.end(), klass,
                                   [](auto const& queue, std::uint8_t wanted) { return queue->klass < wanted; });
  if (at != domain.queues.end() && (*at)->klass == klass) return **at;
  ++queues_;
  auto queue = std::make_unique<Queue>();
  queue->domain = domain.number;
  queue->klass = klass;
  return **domain.queues.insert(at, std::move(queue));
}

void Order::put(Queue& queue, std::uint32_t index) {
  Row& row = rows_[index];
  for (Queue::List& list : queue.lists) {
    if (list.tail != kNoRow && !before()(rows_[list.tail], row)) continue;
    row.prev = list.tail;
    row.next = kNoRow;
    (list.tail == kNoRow ? list.head : rows_[list.tail].next) = index;
    list.tail = index;
    row.set_place(Place::listed);
    return;
  }
  row.set_place(Place::treed);
  if (queue.tree == nullptr) queue.tree = std::make_unique<Queue::Tree>(before());
  queue.tree->insert(index);
  ++treed_;
}

void Order::take(Queue& queue, std::uint32_t index) {
  Row const& row = rows_[index];
  if (row.place() == Place::treed) {
    queue.tree->erase(index);
    if (queue.tree->empty()) queue.tree.reset();
    --treed_;
    return;
  }
  if (row.prev != kNoRow) {
    rows_[row.prev].next = row.next;
  } else {
    (queue.lists[0].head == index ? queue.lists[0] : queue.lists[1]).head = row.next;
  }
  if (row.next != kNoRow) {
    rows_[row.next].prev = row.prev;
  } else {
    (queue.lists[0].tail == index ? queue.lists[0] : queue.lists[1]).tail = row.prev;
  }
}

void Order::push(std::uint32_t index, TableObserver& observer) {
  Domain& domain = domains_.at(index);
  Queue& queue = make_queue(domain, class_of(rows_[index]));
  put(queue, index);
  ++size_;
  ++domain.due;
  if (++queue.size == 1) settle(domain);
  refresh(domain);
  // Also while a limit delays it, for row listeners.
  observer.available(rows_[index].id(), domain.name, TimeMs{rows_[index].date()});
}

void Order::erase(std::uint32_t index) {
  Domain& domain = domains_.at(index);
  Queue& queue = *find_queue(domain, class_of(rows_[index]));
  take(queue, index);
  --size_;
  --domain.due;
  if (--queue.size == 0) {
    settle(domain);
    if (domain.queues.size() > kQueuesKept && queue.next == nullptr) {
      std::erase_if(domain.queues, [&](auto const& other) { return other.get() == &queue; });
      --queues_;
    }
  }
  refresh(domain);
}

// ---------------------------------------------------------------------------
// Turns

void Order::settle(Domain& domain) {
  if (domain.number == kept_) return;
  if (rules_.aging != 0) return settle_one(domain);
  for (auto const& queue : domain.queues) {
    bool const takes_turns = queue->size > 0 && !domain.at_limit;
    if (takes_turns == (queue->next != nullptr)) continue;
    if (takes_turns) {
      enter_turns(*queue);
    } else {
      leave_turns(*queue);
    }
  }
}

// Under aging a domain has one place for both kinds of rows: it serves rows that are not slow while there are any.
void Order::settle_one(Domain& domain) {
  Queue* const old = seated(domain);
  Queue* first = nullptr;
  for (auto const& queue : domain.queues)
    if (first == nullptr && queue->size > 0 && !domain.at_limit) first = queue.get();
  if (old == first) return;
  if (old == nullptr) {
    enter_turns(*first);
  } else if (first == nullptr) {
    leave_turns(*old);
  } else {
    replace_in_turns(*old, *first);
  }
}

Queue* Order::seated(Domain const& domain) {
  for (auto const& queue : domain.queues)
    if (queue->next != nullptr) return queue.get();
  return nullptr;
}

void Order::let_turn() {
  std::uint32_t const kept = std::exchange(kept_, kNoDomain);
  if (kept != kNoDomain) settle(domains_[kept]);
}

// At the end of the ring.
void Order::enter_turns(Queue& queue) {
  if (rings_ == nullptr) rings_ = std::make_unique<std::array<Queue*, 256>>();
  std::size_t const ring = ring_of(queue);
  Queue*& head = (*rings_)[ring];
  queue.credit = domains_[queue.domain].weight;
  if (head == nullptr) {
    queue.next = queue.prev = head = &queue;
    used_[ring / 64] |= 1ULL << (ring % 64);
    return;
  }
  queue.next = head;
  queue.prev = head->prev;
  queue.prev->next = queue.next->prev = &queue;
}

void Order::leave_turns(Queue& queue) {
  std::size_t const ring = ring_of(queue);
  Queue*& head = (*rings_)[ring];
  if (queue.next == &queue) {
    head = nullptr;
    used_[ring / 64] &= ~(1ULL << (ring % 64));
  } else {
    if (head == &queue) head = queue.next;
    queue.prev->next = queue.next;
    queue.next->prev = queue.prev;
  }
  queue.next = queue.prev = nullptr;
}

void Order::replace_in_turns(Queue& old, Queue& queue) {
  queue.credit = old.credit;
  Queue*& head = (*rings_)[ring_of(old)];
  if (head == &old) head = &queue;
  bool const alone = old.next == &old;
  queue.next = alone ? &queue : old.next;
  queue.prev = alone ? &queue : old.prev;
  queue.next->prev = queue.prev->next = &queue;
  old.next = old.prev = nullptr;
}

// A row of it was handed out. A NEXT for this domain alone counts for its turn too.
void Order::spend_turn(Queue& queue) {
  if (queue.next == nullptr || --queue.credit > 0) return;
  queue.credit = domains_[queue.domain].weight;
  if (queue.next == &queue) return;
  leave_turns(queue);
  enter_turns(queue);
}

// ---------------------------------------------------------------------------
// Limits

std::uint64_t Order::room_of(Domain const& domain) const {
  std::uint64_t room = UINT64_MAX;
  if (rules_.concurrency_domain != 0)
    room = domain.leased < rules_.concurrency_domain ? rules_.concurrency_domain - domain.leased : 0;
  if (rules_.rate_domain.limits()) room = std::min(room, domain.bucket.tokens(rules_.rate_domain, now_));
  return room;
}

void Order::refresh(Domain& domain) {
  if (rules_.limits_domains()) {
    std::uint64_t const room = room_of(domain);
    auto const ready = static_cast<std::uint32_t>(std::min<std::uint64_t>(domain.due, room));
    ready_ += ready;
    ready_ -= domain.ready;
    domain.ready = ready;
    if (domain.at_limit != (room == 0)) {
      domain.at_limit = room == 0;
      settle(domain);
    }
    if (rules_.rate_domain.limits()) {
      // A token matters while there are more due rows than other limits allow.
      bool const waits = ready < domain.due && room == domain.bucket.tokens(rules_.rate_domain, now_) &&
                         (rules_.concurrency_domain == 0 || rules_.concurrency_domain > domain.leased + room);
      bool const idle = domain.rows == 0 && domain.number != kNameless;
      set_timer(domain, waits  ? domain.bucket.next(rules_.rate_domain, now_)
                        : idle ? domain.bucket.full(rules_.rate_domain, now_)
                               : 0);
    }
  }
  if (rules_.limits_table()) refresh_table();
}

void Order::refresh_table() {
  room_ = UINT64_MAX;
  if (rules_.concurrency != 0) room_ = leased_ < rules_.concurrency ? rules_.concurrency - leased_ : 0;
  token_at_ = INT64_MAX;
  if (!rules_.rate.limits()) return;
  std::uint64_t const tokens = bucket_.tokens(rules_.rate, now_);
  if (tokens < room_ && tokens < ready()) token_at_ = bucket_.next(rules_.rate, now_);
  room_ = std::min(room_, tokens);
}

void Order::set_timer(Domain& domain, std::int64_t date) {
  auto& timers = domain.rows == 0 ? idle_ : tokens_;
  if (domain.timer == date) return;
  if (domain.timer != 0) {
    tokens_.erase({domain.timer, domain.number});
    idle_.erase({domain.timer, domain.number});
  }
  domain.timer = date;
  if (date != 0) timers.emplace(date, domain.number);
}

// Released rows are reported for all topics if the table's limit delayed them, otherwise for their domain.
void Order::tell(Before const& before, Domain const& domain, TableObserver& observer) const {
  if (available() > before.available) {
    observer.available_again(before.table_at_limit ? std::string_view{} : domain.name, available() - before.available);
  } else if (available(domain) > before.of_domain) {
    // No more rows than before, but also of this domain, whose clients could not take those of others.
    observer.available_again(domain.name, available(domain) - before.of_domain);
  }
}

void Order::tell(std::uint64_t before, TableObserver& observer) const {
  if (available() > before) observer.available_again({}, available() - before);
}

// ---------------------------------------------------------------------------
// Domains and leases

void Order::join(std::uint32_t row, std::string_view name) {
  bool const fresh = domains_.join(row, name);
  Domain& domain = domains_.at(row);
  if (fresh) domain.weight = rules_.weight_of(name);
  if (domain.rows == 1 && !fresh) set_timer(domain, 0);
}

void Order::part(std::uint32_t row) {
  Domain& domain = domains_.at(row);
  if (domain.number == kept_) let_turn();
  --domain.rows;
  if (domain.rows > 0 || domain.number == kNameless) return;
  FJ_CHECK(domain.due == 0 && domain.leased == 0 && domain.future.empty(), "the last row of a domain stands nowhere");
  // Dropped and recreated it would have all its tokens again.
  if (rules_.rate_domain.limits() && domain.bucket.full(rules_.rate_domain, now_) > now_) {
    refresh(domain);
    return;
  }
  set_timer(domain, 0);
  queues_ -= static_cast<std::uint32_t>(domain.queues.size());
  domains_.drop(domain.number);
}

void Order::begin(std::uint32_t index, LeaseEpoch epoch, std::int64_t began, std::int64_t ends, bool live) {
  Domain& domain = domains_.at(index);
  Row const& row = rows_[index];
  ++leased_;
  ++domain.leased;
  if (row.priority() < rules_.slow_from) domain.last_normal = std::max(domain.last_normal, epoch);
  if (has_domains()) domain.lease_ends.emplace(ends, index);
  if (live && rules_.rate.limits()) bucket_.take(rules_.rate, began);
  if (live && rules_.rate_domain.limits()) domain.bucket.take(rules_.rate_domain, began);
  // Leases under other rules, or from before a start, do not count for turns.
  Queue* const queue = !live ? nullptr : rules_.aging != 0 ? seated(domain) : find_queue(domain, class_of(row));
  if (queue != nullptr) spend_turn(*queue);
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
  Before const before_it = look(domain);
  --leased_;
  --domain.leased;
  if (has_domains()) domain.lease_ends.erase({end, row});
  refresh(domain);
  tell(before_it, domain, observer);
}

// ---------------------------------------------------------------------------
// Time

std::int64_t Order::next_due() const {
  if (news_) return now_;
  return std::min({token_at_, tokens_.empty() ? INT64_MAX : tokens_.begin()->first,
                   idle_.empty() ? INT64_MAX : idle_.begin()->first});
}

bool Order::advance(std::int64_t now, std::size_t budget, TableObserver& observer) {
  now_ = now;
  if (news_) {
    news_ = false;
    tell(0, observer);
  }
  if (token_at_ <= now) {
    std::uint64_t const before_it = available();
    refresh_table();
    tell(before_it, observer);
  }
  while (!tokens_.empty() && tokens_.begin()->first <= now) {
    if (budget-- == 0) return true;
    Domain& domain = domains_[tokens_.begin()->second];
    Before const before_it = look(domain);
    refresh(domain);
    tell(before_it, domain, observer);
  }
  while (!idle_.empty() && idle_.begin()->first <= now) {
    if (budget-- == 0) return true;
    Domain& domain = domains_[idle_.begin()->second];
    set_timer(domain, 0);
    queues_ -= static_cast<std::uint32_t>(domain.queues.size());
    domains_.drop(domain.number);
  }
  return false;
}

// ---------------------------------------------------------------------------
// Rules

void Order::change_limits(Rules rules) {
  bool const other_rate = rules.rate != rules_.rate;
  bool const other_rate_domain = rules.rate_domain != rules_.rate_domain;
  rules_ = std::move(rules);
  if (other_rate) bucket_ = Bucket{};
  room_ = UINT64_MAX;
  token_at_ = INT64_MAX;
  ready_ = 0;
  for (std::uint32_t number = 0; number < domains_.end(); ++number) {
    if (!domains_.exists(number)) continue;
    Domain& domain = domains_[number];
    domain.weight = rules_.weight_of(domain.name);
    domain.ready = 0;
    if (other_rate_domain) {
      set_timer(domain, 0);
      domain.bucket = Bucket{};
    }
    if (!rules_.limits_domains() && domain.at_limit) {
      domain.at_limit = false;
      settle(domain);
    }
    if (domain.rows == 0 && number != kNameless && domain.timer == 0) {
      queues_ -= static_cast<std::uint32_t>(domain.queues.size());
      domains_.drop(number);
      continue;
    }
    refresh(domain);
  }
}

void Order::start_again(Rules rules) {
  domains_ = Domains{rows_, hash_seed_};
  rules_ = std::move(rules);
  rings_.reset();
  used_ = {};
  tokens_.clear();
  idle_.clear();
  bucket_ = Bucket{};
  token_at_ = INT64_MAX;
  room_ = UINT64_MAX;
  ready_ = 0;
  size_ = leased_ = queues_ = treed_ = expected_ = 0;
  domains_[kNameless].weight = rules_.weight_of({});
}

}  // namespace fastjournal::journal
