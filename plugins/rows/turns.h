// Whose turn it is: the queues of domains that have due rows and are not at a limit, in a ring for each class. A turn is
// counted in rows: a domain hands out as many rows as its weight, then moves to the end of its ring. New domains, and
// those released by a limit, join at the end. A domain whose row is merged, kicked or returned keeps its place if it
// still has rows to hand out: otherwise a tenant whose only row is updated often would never have a turn.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "plugins/rows/domains.h"
#include "plugins/rows/queue.h"

namespace fastjournal::rows {

// Of one order; a queue in a ring must leave it before it ends.
class Turns {
 public:
  // The queue whose turn it is, of the first class that has one; nullptr: none.
  [[nodiscard]] Queue const* first() const {
    for (std::size_t word = 0; word < used_.size(); ++word)
      if (used_[word] != 0) return (*rings_)[word * 64 + static_cast<std::size_t>(std::countr_zero(used_[word]))];
    return nullptr;
  }
  // The domain's queue that takes turns, where there is at most one (under aging).
  [[nodiscard]] static Queue* seated(Domain const& domain);
  [[nodiscard]] static bool takes_turns(Queue const& queue) { return queue.next_ != nullptr; }

  // The domain's queues, or whether it is at a limit, have changed: those that have rows to hand out take turns.
  void settle(Domain& domain) {
    if (domain.number == kept_) return;
    if (one_ring_)
      settle_one(domain);
    else
      settle_all(domain);
  }
  // Until let() the domain keeps its turn, as its row is only moved.
  void keep(std::uint32_t domain) { kept_ = domain; }
  void let(Domains& domains);
  [[nodiscard]] bool keeps(Domain const& domain) const { return domain.number == kept_; }
  // A row of it was handed out. A NEXT for this domain alone counts for its turn too.
  void spend(Queue& queue, Domain const& domain);
  // No queue is left. `one_ring`: under aging, where classes share a ring.
  void start_again(bool one_ring);

  [[nodiscard]] std::uint64_t memory_bytes() const { return rings_ == nullptr ? 0 : sizeof *rings_; }

 private:
  void settle_all(Domain& domain);
  void settle_one(Domain& domain);
  void enter(Queue& queue, Domain const& domain);
  void leave(Queue& queue);
  void replace(Queue& old, Queue& queue);
  [[nodiscard]] std::size_t ring_of(Queue const& queue) const { return one_ring_ ? 0 : queue.klass; }

  std::unique_ptr<std::array<Queue*, 256>> rings_;  // by class, whose turn it is; made with the first due row
  std::array<std::uint64_t, 4> used_{};             // classes with a ring
  std::uint32_t kept_{kNoDomain};
  bool one_ring_{false};
};

}  // namespace fastjournal::rows
