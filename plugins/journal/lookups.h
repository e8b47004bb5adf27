// PEEK, LIST, COUNT and WHY: rows are shown, and nothing changes. By a row's number or by its key columns, which may find
// several rows (parked ones, a waiting one); LIST and COUNT by a filter.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/selection.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/schedules.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Lookups {
 public:
  Lookups(rows::State const& rows, Settings const& settings, Pauses const& pauses, Selection const& selection,
          rows::Schedules const& schedules)
      : rows_(rows), settings_(settings), pauses_(pauses), selection_(selection), schedules_(schedules) {}

  Verdict peek(Command const& command, Decision& decision) const;
  Verdict list(Command const& command, Decision& decision) const;
  Verdict count(Command const& command, Decision& decision) const;
  // Why a row is not handed out (reasons.h).
  Verdict why(Command const& command, Decision& decision) const;

 private:
  void tell_key(auto const& given, Command const& command, Decision& decision,
                std::function<bool(std::uint32_t row)> const& tell) const;
  // A page of the rows that fit the given filter, by number: `tell` returns whether it wants more. Returns the row behind
  // which to go on; none: that was all.
  [[nodiscard]] ObjectId look(auto const& given, Decision& decision,
                              std::function<bool(std::uint32_t row)> const& tell) const;
  void tell_unknown(ObjectId row, Answer& answer) const;

  rows::State const& rows_;
  Settings const& settings_;
  Pauses const& pauses_;
  Selection const& selection_;
  rows::Schedules const& schedules_;
  // Memory that is used again.
  mutable std::vector<std::uint32_t> candidates_;
};

}  // namespace fastjournal::journal
