// TIMELINE and DOMAINS: what the rows of a table look like together, for pages and people. Nothing changes.
#pragma once

#include <cstdint>

#include "fastjournal/table.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/selection.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
//
// The rows of a timeline are counted on demand: their headers are read one after the other, some 2 ns each, in
// pages, which the reader adds up. Counts that are kept with the rows would cost each INSERT and each NEXT more than
// all timelines that are ever asked for, and the slots of the timer wheel begin at no second and no minute.
class Overview {
 public:
  // Of a timeline's page.
  static constexpr std::uint32_t kRowsPerPage = 256U << 10U;

  Overview(rows::State const& rows, Settings const& settings, Pauses const& pauses, Selection const& selection)
      : rows_(rows), settings_(settings), pauses_(pauses), selection_(selection) {}

  Verdict timeline(Command const& command, Decision& decision) const;
  Verdict domains(Command const& command, Decision& decision) const;

 private:
  void tell(rows::Domain const& domain, std::uint32_t next, Answer& answer) const;

  rows::State const& rows_;
  Settings const& settings_;
  Pauses const& pauses_;
  Selection const& selection_;
};

}  // namespace fastjournal::journal
