// BROWSE, COUNT, READ and WHY.
#pragma once

#include <cstdint>
#include <functional>

#include "fastjournal/table.h"
#include "plugins/queue/message_answers.h"
#include "plugins/queue/table_state.h"

namespace fastjournal::queue {

// Of one table, beside what it shares, which outlives it.
class Reads {
 public:
  explicit Reads(TableState const& shared) : shared_(shared) {}

  Verdict browse(Command const& command, Decision& decision) const;
  Verdict count(Command const& command, Decision& decision) const;
  Verdict read(Command const& command, Decision& decision) const;
  Verdict peek(Command const& command, Decision& decision) const;
  Verdict why(Command const& command, Decision& decision) const;

 private:
  // A page of the messages of the given queue and status, by number: `tell` returns whether it wants more. Returns the
  // message behind which to go on; none: that was all.
  [[nodiscard]] ObjectId look(auto const& given, Decision& decision,
                              std::function<bool(std::uint32_t row)> const& tell) const;
  // Answers with the message, whole or a part of it.
  void show(std::uint32_t row, BodyRequest const& body, Command const& command, Decision& decision) const;
  // The message, or kNoRow and a status.
  [[nodiscard]] std::uint32_t find(ObjectId id, Decision& decision) const;

  TableState const& shared_;
};

}  // namespace fastjournal::queue
