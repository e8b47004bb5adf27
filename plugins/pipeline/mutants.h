// Named faults that can be put into pipeline tables, to test their tests. In the product is_mutant() is the constant
// false, and the compiler removes it; a test build of this folder (FJ_MUTANTS) has it as a variable, as for key/value
// tables (plugins/keyvalue/mutants.h). Only .cpp files of this folder ask it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastjournal::pipeline {

enum class Mutant : std::uint8_t {
  none,
  hash_without_work,         // a change is recorded, and what is to be done again is not: the document is lost
  sent_again_at_most_once,   // what was being sent is sent again by itself
  in_doubt_at_least_once,    // what may be sent again waits for a person
  old_token_taken,           // a report of a worker who was fenced counts
  classes_count_together,    // failures of two classes are of one
  dead_one_late,             // one attempt more than the plan says
  rest_not_kept,             // what failed is handed out at once
  paused_handed_out,         // a paused destination gets documents
  failures_of_all_counted,   // a failure of everything counts for each document
  probe_opens_nothing,       // the destination stays paused when a document has arrived
  dropped_by_a_router_open,  // what a router did not choose stays missing
  child_of_old_generation,   // children of an earlier version count for the newest one
  parent_done_undeclared,    // done before it is known how many children there are
  grandchild_not_counted,    // only the children, not theirs
  child_listed_alone,        // a missing child is handed out in place of its original
  run_again_while_in_hands,  // the original is run again while its children are under way
  lease_lost_uncounted,      // a document that kills its workers never becomes dead
  copy_loses_failures,
  copy_loses_choices,
  copy_loses_declared,
  copy_loses_pause,
  copy_loses_drain,
  version_before_lost,  // a version that is missing somewhere is given up for a newer one
  versions_overtake,    // a newer version arrives before the one that is missing there
  archive_has_older,    // what changed while its page was written is archived as it was
  copy_loses_archived,  // the last document of a page
  drain_takes_changed,  // while a table drains, documents that have changed are taken
};

inline constexpr std::array<std::string_view, 28> kMutantNames{
    "none",
    "hash_without_work",
    "sent_again_at_most_once",
    "in_doubt_at_least_once",
    "old_token_taken",
    "classes_count_together",
    "dead_one_late",
    "rest_not_kept",
    "paused_handed_out",
    "failures_of_all_counted",
    "probe_opens_nothing",
    "dropped_by_a_router_open",
    "child_of_old_generation",
    "parent_done_undeclared",
    "grandchild_not_counted",
    "child_listed_alone",
    "run_again_while_in_hands",
    "lease_lost_uncounted",
    "copy_loses_failures",
    "copy_loses_choices",
    "copy_loses_declared",
    "copy_loses_pause",
    "copy_loses_drain",
    "version_before_lost",
    "versions_overtake",
    "archive_has_older",
    "copy_loses_archived",
    "drain_takes_changed",
};

#ifdef FJ_MUTANTS
inline Mutant active_mutant = Mutant::none;
[[nodiscard]] inline bool is_mutant(Mutant mutant) { return active_mutant == mutant; }
#else
[[nodiscard]] constexpr bool is_mutant(Mutant) { return false; }
#endif

}  // namespace fastjournal::pipeline
