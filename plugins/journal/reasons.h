// Why one row is not handed out: a sentence, and its facts as parameters for programs (doc/protocol.md, "WHY").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/schedules.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// For one answer.
class Reasons {
 public:
  Reasons(rows::State const& rows, Settings const& settings, Pauses const& pauses, rows::Schedules const& schedules,
          Command const& command, std::int64_t now, Answer& answer)
      : rows_(rows),
        settings_(settings),
        pauses_(pauses),
        schedules_(schedules),
        command_(command),
        now_(now),
        answer_(answer) {}

  // One message REASON.
  void tell(std::uint32_t row);

 private:
  void state(std::string_view word) { answer_.add("state", Value::of_text(word)); }
  void tell_expired(rows::Facts const& facts);
  void tell_future();
  void tell_due();
  // How many rows precede it.
  void tell_turn();
  void tell_behind();
  void tell_blocked();
  [[nodiscard]] std::string named(rows::After::One const& one) const;
  void tell_processing();
  void tell_parked(rows::Facts const& facts);
  // Its history, whatever its state.
  void tell_history(rows::Facts const& facts);
  // The number of attempts, and the limit.
  void tell_attempts(rows::Counters const& counters);
  [[nodiscard]] rows::Row const& row() const { return rows_.row(row_); }
  // `what`: " it", or nothing if the sentence already names the row.
  [[nodiscard]] std::string worker_text(rows::Lease const& lease, std::string_view what) const;
  void add_lease(rows::Lease const& lease);
  void add_pause();
  void tell_schedule();

  rows::State const& rows_;
  Settings const& settings_;
  Pauses const& pauses_;
  rows::Schedules const& schedules_;
  Command const& command_;
  std::int64_t now_;
  Answer& answer_;
  std::uint32_t row_{rows::kNoRow};
  std::string text_;
};

}  // namespace fastjournal::journal
