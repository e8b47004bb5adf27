// The schedules of a journal: the commands about them, and what they do at their dates. A row is made as an INSERT
// would make it, in one step with the record of its schedule; what a schedule is, and what follows from its records, is in
// plugins/rows/schedules.h.
//
// While the table drains or is full no row can be made: its dates wait, and are treated as those that came while the
// daemon was down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/journal/inserts.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/schedules.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Scheduling {
 public:
  Scheduling(Settings const& settings, rows::Schedules const& schedules, Pauses const& pauses, Inserts const& inserts)
      : settings_(settings), schedules_(schedules), pauses_(pauses), inserts_(inserts) {
    take_declared();
  }

  // Of a declaration, whose schedules a command could make too.
  [[nodiscard]] static Status check(TableDeclaration const& declaration);
  // As Table::check_change; and the declaration is another one.
  [[nodiscard]] Status check_change(TableDeclaration const& next) const;
  void take_declared();

  Verdict schedule(Command const& command, Decision& decision) const;
  Verdict unschedule(Command const& command, Decision& decision) const;
  Verdict list(Command const& command, Decision& decision) const;
  // Of a schedule, or of the table.
  Verdict pause(Command const& command, Decision& decision) const;
  Verdict resume(Command const& command, Decision& decision) const;
  Verdict trigger(Command const& command, Decision& decision) const;
  Verdict backfill(Command const& command, Decision& decision) const;

  // The first date with something for run(); INT64_MAX: none.
  [[nodiscard]] std::int64_t next_due() const {
    return looks_for_declared() ? 0 : pauses_.is_draining() ? INT64_MAX : schedules_.next_wake();
  }
  // What is due: one step. False: nothing was.
  bool run(Decision& decision) const;

 private:
  struct Rules;  // those of a command, with calendar and zone

  [[nodiscard]] bool looks_for_declared() const {
    return !is_as_declared_ && (!declared_.empty() || !schedules_.empty());
  }
  // Schedules become as the table's file has them. False: they are.
  bool make_declared(Decision& decision) const;
  [[nodiscard]] rows::Schedule const* find(std::string_view name, Decision& decision) const;
  // All but the zone.
  [[nodiscard]] static Status read_rules(TableDeclaration const& table, Command const& command, Decision& decision,
                                         Rules& rules);
  [[nodiscard]] static Status read_declared(TableDeclaration const& table, ScheduleDeclaration const& declared,
                                            Rules& rules);
  Verdict set_pause(std::string_view name, bool is_paused, Command const& command, Decision& decision) const;
  // True: the step is full, and has to be applied first.
  bool run_one(rows::Schedule const& schedule, Inserts::Step& step, Decision& decision) const;
  [[nodiscard]] Result<ObjectId> make(rows::Schedule const& schedule, std::int64_t date, std::int64_t due,
                                      Inserts::Step& step, Decision& decision) const;
  void pause_itself(rows::Schedule const& schedule, std::string const& why, Decision& decision) const;
  [[nodiscard]] std::string problem_of(rows::Schedule const& schedule) const;
  void tell(rows::Schedule const& schedule, std::uint32_t dates, Decision& decision) const;

  Settings const& settings_;
  rows::Schedules const& schedules_;
  Pauses const& pauses_;
  Inserts const& inserts_;
  std::vector<rows::ScheduleRules> declared_;  // by name
  mutable bool is_as_declared_{false};
};

}  // namespace fastjournal::journal
