// PURGE and MOVE: unleased messages of a queue are dropped, or go to another queue; a page at a time, one after
// the other in the order of the queue. And the end of the messages of queues that were removed.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/queue/dead_letter_policy.h"
#include "plugins/queue/made.h"
#include "plugins/queue/on_queue.h"
#include "plugins/queue/table_state.h"
#include "plugins/rows/attempts.h"

namespace fastjournal::queue {

// Of one table, beside what it shares, which outlives it.
class Changes {
 public:
  Changes(TableState const& shared, DeadLetterPolicy const& dead_letter_policy, rows::Attempts const& attempts)
      : shared_(shared), dead_letter_policy_(dead_letter_policy), attempts_(attempts) {}

  Verdict purge(Command const& command, Decision& decision) const;
  Verdict move(Command const& command, Decision& decision) const;

  // One message of a queue that was removed. False: there is none that can go now.
  bool drop_leaving(Decision& decision) const;
  [[nodiscard]] bool has_leaving() const { return !shared_.is_leaving_blocked && !shared_.queues.leaving().empty(); }

 private:
  // The next message that PURGE or MOVE takes from its queue; kNoRow: it is done.
  [[nodiscard]] std::uint32_t next(auto const& given, Queue const& queue, std::uint64_t& done) const;
  // Adds the counts to the answer.
  void finish(auto const& given, Queue const& queue, std::uint64_t done, Decision& decision) const;
  // Its attempts begin again.
  void move_one(std::uint32_t row, std::string_view to, Decision& decision) const;
  Verdict move_back(made::Move const& given, Decision& decision) const;
  [[nodiscard]] std::uint32_t find_leaving() const;

  TableState const& shared_;
  DeadLetterPolicy const& dead_letter_policy_;
  rows::Attempts const& attempts_;
};

}  // namespace fastjournal::queue
