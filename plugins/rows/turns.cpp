#include "plugins/rows/turns.h"

#include <utility>

namespace fastjournal::rows {

void Turns::settle_all(Domain& domain) {
  for (auto const& queue : domain.queues) {
    bool const can = queue->size() > 0 && !domain.at_limit;
    if (can == takes_turns(*queue)) continue;
    if (can) {
      enter(*queue, domain);
    } else {
      leave(*queue);
    }
  }
}

// Under aging a domain has one place for both kinds of rows: it serves rows that are not slow while there are any.
void Turns::settle_one(Domain& domain) {
  Queue* const old = seated(domain);
  Queue* first = nullptr;
  for (auto const& queue : domain.queues)
    if (first == nullptr && queue->size() > 0 && !domain.at_limit) first = queue.get();
  if (old == first) return;
  if (old == nullptr) {
    enter(*first, domain);
  } else if (first == nullptr) {
    leave(*old);
  } else {
    replace(*old, *first);
  }
}

Queue* Turns::seated(Domain const& domain) {
  for (auto const& queue : domain.queues)
    if (takes_turns(*queue)) return queue.get();
  return nullptr;
}

void Turns::let(Domains& domains) {
  std::uint32_t const kept = std::exchange(kept_, kNoDomain);
  if (kept != kNoDomain) settle(domains[kept]);
}

// At the end of the ring.
void Turns::enter(Queue& queue, Domain const& domain) {
  if (rings_ == nullptr) rings_ = std::make_unique<std::array<Queue*, 256>>();
  std::size_t const ring = ring_of(queue);
  Queue*& head = (*rings_)[ring];
  queue.credit_ = domain.weight;
  if (head == nullptr) {
    queue.next_ = queue.prev_ = head = &queue;
    used_[ring / 64] |= 1ULL << (ring % 64);
    return;
  }
  queue.next_ = head;
  queue.prev_ = head->prev_;
  queue.prev_->next_ = queue.next_->prev_ = &queue;
}

void Turns::leave(Queue& queue) {
  std::size_t const ring = ring_of(queue);
  Queue*& head = (*rings_)[ring];
  if (queue.next_ == &queue) {
    head = nullptr;
    used_[ring / 64] &= ~(1ULL << (ring % 64));
  } else {
    if (head == &queue) head = queue.next_;
    queue.prev_->next_ = queue.next_;
    queue.next_->prev_ = queue.prev_;
  }
  queue.next_ = queue.prev_ = nullptr;
}

void Turns::replace(Queue& old, Queue& queue) {
  queue.credit_ = old.credit_;
  Queue*& head = (*rings_)[ring_of(old)];
  if (head == &old) head = &queue;
  bool const alone = old.next_ == &old;
  queue.next_ = alone ? &queue : old.next_;
  queue.prev_ = alone ? &queue : old.prev_;
  queue.next_->prev_ = queue.prev_->next_ = &queue;
  old.next_ = old.prev_ = nullptr;
}

void Turns::spend(Queue& queue, Domain const& domain) {
  if (!takes_turns(queue) || --queue.credit_ > 0) return;
  queue.credit_ = domain.weight;
  if (queue.next_ == &queue) return;
  leave(queue);
  enter(queue, domain);
}

void Turns::start_again(bool one_ring) {
  rings_.reset();
  used_ = {};
  one_ring_ = one_ring;
}

}  // namespace fastjournal::rows
