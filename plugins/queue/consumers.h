// The commands of consumers: ACQUIRE, TOUCH, ACCEPT, RELEASE and REJECT. And KICK, which releases in place of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/queue/made.h"
#include "plugins/queue/table_state.h"
#include "plugins/rows/attempts.h"

namespace fastjournal::queue {

// Of one table, beside what it shares, which outlives it.
class Consumers {
 public:
  Consumers(TableState const& shared, rows::Attempts const& attempts) : shared_(shared), attempts_(attempts) {}

  Verdict acquire(Command const& command, Decision& decision) const;
  Verdict touch(Command const& command, Decision& decision) const;
  Verdict accept(Command const& command, Decision& decision) const;
  Verdict release(Command const& command, Decision& decision) const;
  Verdict reject(Command const& command, Decision& decision) const;
  Verdict park(Command const& command, Decision& decision) const;
  Verdict remove(Command const& command, Decision& decision) const;
  Verdict kick(Command const& command, Decision& decision) const;

  // Where leases have no grace: those of a former start of the daemon end, and nothing is counted, as it was not their
  // consumers' fault. Not those that transactions hold. True: something was appended.
  bool end_former(Decision& decision) const;
  [[nodiscard]] bool may_have_former() const { return next_former_ != kNoFormer; }
  // A transaction has ended: what it held may be of a former start.
  void look_for_former() const {
    if (std::exchange(holds_former_, false)) next_former_ = 0;
  }

 private:
  // The queues that it names, in asked_. False: it is refused. `makes`: the first of them has to be made.
  [[nodiscard]] bool find_queues(made::Acquire const& given, Command const& command, Decision& decision,
                                 bool& makes) const;
  Verdict give(made::Acquire const& given, Command const& command, Decision& decision) const;
  // Of one that no consumer has: it waits for another message of its group, or would.
  [[nodiscard]] Status check_not_behind(std::uint32_t row) const;
  Verdict give_named(made::Acquire const& given, Command const& command, Decision& decision) const;
  [[nodiscard]] TimeMs next_date() const;  // of asked_
  // How long a lease lasts that the command does not say: as the message says, its queue, or the table.
  [[nodiscard]] std::int64_t lease_of(std::uint32_t row, std::int64_t given, Command const& command) const;
  Verdict kick_message(made::Kick const& given, Decision& decision) const;
  Verdict kick_queue(made::Kick const& given, Decision& decision) const;
  Verdict give_message(std::uint32_t row, made::Acquire const& given, Command const& command, Decision& decision) const;
  Verdict give_nothing(made::Acquire const& given, Command const& command, Decision& decision, TimeMs next_date) const;
  // The lease of the command's connection that ends first; INT64_MAX: it has none.
  [[nodiscard]] std::int64_t first_lease_end(Command const& command, Decision& decision) const;
  // It goes back to its place, and nothing is counted; its next consumer is told that it was handed out.
  rows::Ended put_back(std::uint32_t row, Decision& decision) const;
  [[nodiscard]] bool refuses_priority(std::optional<std::uint32_t> given, Decision& decision) const;
  // It was parked, or waits for its date: it is due.
  rows::Ended back_to_work(std::uint32_t row, Decision& decision) const;
  // `waiting`: the answer's command if it waits.
  void answer_ended(std::uint32_t row, std::string_view waiting, rows::Ended const& ended, Decision& decision) const;

  static constexpr std::uint32_t kNoFormer = UINT32_MAX;

  TableState const& shared_;
  rows::Attempts const& attempts_;
  // Where the search for leases of a former start goes on.
  mutable std::uint32_t next_former_{0};
  mutable bool holds_former_{false};  // transactions held some of them
  // Memory that is used again.
  mutable std::vector<std::string_view> asked_;
};

}  // namespace fastjournal::queue
