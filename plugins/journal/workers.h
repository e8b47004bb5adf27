// The commands of workers: NEXT, TOUCH, PROGRESS, DONE, RELEASE and FAIL (doc/protocol.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "model/parameters.h"
#include "plugins/journal/awaited.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/selection.h"
#include "plugins/journal/settings.h"
#include "plugins/journal/statistics.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Workers {
 public:
  Workers(rows::State const& rows, Settings const& settings, Pauses const& pauses, Selection const& selection,
          rows::Attempts const& attempts, rows::Schedules const& schedules, Statistics& statistics, Awaited& awaited)
      : rows_(rows),
        settings_(settings),
        pauses_(pauses),
        selection_(selection),
        attempts_(attempts),
        schedules_(schedules),
        statistics_(statistics),
        awaited_(awaited) {}

  Verdict next(Command const& command, Decision& decision) const;
  Verdict touch(Command const& command, Decision& decision) const;
  Verdict progress(Command const& command, Decision& decision) const;
  Verdict done(Command const& command, Decision& decision) const;
  Verdict release(Command const& command, Decision& decision) const;
  Verdict fail(Command const& command, Decision& decision) const;

 private:
  Verdict give_next(made::Next const& given, Command const& command, Decision& decision) const;
  Verdict give_row(std::uint32_t row, made::Next const& given, Command const& command, Decision& decision) const;
  Verdict give_nothing(Decision& decision, std::int64_t wait_ms, TimeMs next_date) const;
  Verdict give_nothing_as_paused(Decision& decision, std::int64_t wait_ms) const;
  [[nodiscard]] Status check_domain(model::Text const& domain) const;
  // The command after a failure, once that is applied: the table may have to pause itself.
  [[nodiscard]] Verdict after_failure() const;
  // Of a row that is done now: that no further row of its key is taken, if it is so.
  void keep_unique(std::uint32_t row, Decision& decision) const {
    if (settings_.options().unique_for != 0 || rows_.row(row).has_detail()) [[unlikely]]
      append_unique(row, decision);
  }
  [[gnu::cold]] void append_unique(std::uint32_t row, Decision& decision) const;

  rows::State const& rows_;
  Settings const& settings_;
  Pauses const& pauses_;
  Selection const& selection_;
  rows::Attempts const& attempts_;
  rows::Schedules const& schedules_;
  Statistics& statistics_;
  Awaited& awaited_;
};

}  // namespace fastjournal::journal
