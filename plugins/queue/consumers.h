// The commands of consumers: ACQUIRE, TOUCH, ACCEPT, RELEASE and REJECT. And KICK, which releases in place of one.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

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
  Verdict give(made::Acquire const& given, Command const& command, Decision& decision) const;
  Verdict give_message(std::uint32_t row, made::Acquire const& given, Command const& command, Decision& decision) const;
  Verdict give_nothing(made::Acquire const& given, Decision& decision, TimeMs next_date) const;
  // It goes back to its place, and nothing is counted; its next consumer is told that it was handed out.
  rows::Ended put_back(std::uint32_t row, Decision& decision) const;
  // `waiting`: the answer's command if it waits.
  void answer_ended(std::uint32_t row, std::string_view waiting, rows::Ended const& ended, Decision& decision) const;

  static constexpr std::uint32_t kNoFormer = UINT32_MAX;

  TableState const& shared_;
  rows::Attempts const& attempts_;
  // Where the search for leases of a former start goes on.
  mutable std::uint32_t next_former_{0};
  mutable bool holds_former_{false};  // transactions held some of them
};

}  // namespace fastjournal::queue
