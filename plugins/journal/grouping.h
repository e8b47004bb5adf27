// GROUP, GROUPS, CANCEL and GRAPH: groups of jobs, and the rows that wait for others, for people and for programs that
// draw them. CANCEL ends the rows of a group a page at a time, one in each step, as rows may end others meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/made.h"
#include "plugins/journal/selection.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/job_groups.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Grouping {
 public:
  Grouping(rows::State const& rows, Settings const& settings, Selection const& selection,
           rows::Attempts const& attempts)
      : rows_(rows), settings_(settings), selection_(selection), attempts_(attempts) {}

  Verdict group(Command const& command, Decision& decision) const;
  Verdict groups(Command const& command, Decision& decision) const;
  Verdict cancel(Command const& command, Decision& decision) const;
  Verdict graph(Command const& command, Decision& decision) const;

 private:
  void tell(rows::JobGroup const& group, Answer& answer) const;
  [[nodiscard]] Status unknown(std::string_view name) const;
  void graph_group(made::Graph const& given, Decision& decision) const;
  void graph_row(made::Graph const& given, Decision& decision) const;
  void tell_node(std::uint32_t row, std::int64_t level, Answer& answer) const;

  rows::State const& rows_;
  Settings const& settings_;
  Selection const& selection_;
  rows::Attempts const& attempts_;
};

}  // namespace fastjournal::journal
