// DELETE and KICK: rows that an operator ends, or puts back to work; by a row's number, by a key, or many of them by a
// filter. Many are changed here and not by clients, because a row that has changed since it was listed must not be
// changed. Such a command handles one page: it looks at a bounded number of rows, changes one in each step (a kicked row
// may be merged into another that matches too), and its answer says where the next page begins. KICK without a status
// takes only parked rows: a forgotten word must not make all future rows due.
#pragma once

#include <cstdint>

#include "fastjournal/table.h"
#include "plugins/journal/selection.h"
#include "plugins/journal/settings.h"
#include "plugins/journal/statistics.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Changes {
 public:
  Changes(rows::State const& rows, Settings const& settings, Selection const& selection, rows::Attempts const& attempts,
          Statistics& statistics)
      : rows_(rows), settings_(settings), selection_(selection), attempts_(attempts), statistics_(statistics) {}

  Verdict remove(Command const& command, Decision& decision) const;
  Verdict kick(Command const& command, Decision& decision) const;

 private:
  [[nodiscard]] static bool is_bulk(Command const& command);
  [[nodiscard]] Status check_bulk(Command const& command, Filter& filter) const;
  Verdict change_many(auto const& given, Command const& command, Decision& decision) const;
  rows::Ended put_back(std::uint32_t row, Decision& decision) const;
  void kick_row(std::uint32_t row, Decision& decision) const;

  rows::State const& rows_;
  Settings const& settings_;
  Selection const& selection_;
  rows::Attempts const& attempts_;
  Statistics& statistics_;
};

}  // namespace fastjournal::journal
