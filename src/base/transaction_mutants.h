// Named faults that can be put into transactions, to test their tests (./mk mutants --transactions): in the engine, in
// rows, and in the tables that promise. In the product is_mutant() is the constant false, and the compiler removes it;
// the test build (FJ_MUTANTS, tests/world/CMakeLists.txt) has it as a variable, in some .cpp files. So no header asks it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastjournal::transaction {

enum class Mutant : std::uint8_t {
  none,
  group_for_each_command,
  commit_not_synced,
  refusal_does_not_end_it,
  holds_not_released,
  loss_does_not_end_it,
  time_does_not_end_it,
  reload_does_not_end_it,
  dates_count_from_the_commit,
  lease_ends_while_held,
  lease_never_ends_afterwards,
  grace_not_given,
  held_row_ended_by_others,
  row_changed_twice,
  promised_rows_not_counted,
  key_not_held_for_a_merge,
  merge_not_tried,
  drain_refuses_what_was_promised,
  expired_row_inserted,
  filter_deletes_held_rows,
  expectation_not_checked,
  expectation_checked_again,
  held_key_evicted,
  held_key_locked,
  rename_over_a_held_key,
  numbered_command_done_again,
  prepared_not_synced,
  outcome_in_a_group_of_its_own,
  holds_not_restored,
  prepared_times_out,
  empty_branch_lost,
  lost_session_not_noticed,
  outcome_not_kept,
  outcome_before_the_parts,
  outcome_not_written,
  parts_end_before_the_outcome,
  outcome_forgotten_early,
  outcome_turned_round,
  commit_presumed,
  home_named_by_its_end,
  older_home_is_believed,
  lost_home_forgotten,
  answered_before_the_parts,
  values_not_promised,
  values_not_let_go,
  older_place_kept,
};

// By number, as the command line and the tables name them.
inline constexpr std::array<std::string_view, 46> kMutantNames{"none",
                                                               "group_for_each_command",
                                                               "commit_not_synced",
                                                               "refusal_does_not_end_it",
                                                               "holds_not_released",
                                                               "loss_does_not_end_it",
                                                               "time_does_not_end_it",
                                                               "reload_does_not_end_it",
                                                               "dates_count_from_the_commit",
                                                               "lease_ends_while_held",
                                                               "lease_never_ends_afterwards",
                                                               "grace_not_given",
                                                               "held_row_ended_by_others",
                                                               "row_changed_twice",
                                                               "promised_rows_not_counted",
                                                               "key_not_held_for_a_merge",
                                                               "merge_not_tried",
                                                               "drain_refuses_what_was_promised",
                                                               "expired_row_inserted",
                                                               "filter_deletes_held_rows",
                                                               "expectation_not_checked",
                                                               "expectation_checked_again",
                                                               "held_key_evicted",
                                                               "held_key_locked",
                                                               "rename_over_a_held_key",
                                                               "numbered_command_done_again",
                                                               "prepared_not_synced",
                                                               "outcome_in_a_group_of_its_own",
                                                               "holds_not_restored",
                                                               "prepared_times_out",
                                                               "empty_branch_lost",
                                                               "lost_session_not_noticed",
                                                               "outcome_not_kept",
                                                               "outcome_before_the_parts",
                                                               "outcome_not_written",
                                                               "parts_end_before_the_outcome",
                                                               "outcome_forgotten_early",
                                                               "outcome_turned_round",
                                                               "commit_presumed",
                                                               "home_named_by_its_end",
                                                               "older_home_is_believed",
                                                               "lost_home_forgotten",
                                                               "answered_before_the_parts",
                                                               "values_not_promised",
                                                               "values_not_let_go",
                                                               "older_place_kept"};

#ifdef FJ_MUTANTS
inline Mutant active_mutant = Mutant::none;
[[nodiscard]] inline bool is_mutant(Mutant mutant) { return active_mutant == mutant; }
#else
[[nodiscard]] constexpr bool is_mutant(Mutant) { return false; }
#endif

}  // namespace fastjournal::transaction
