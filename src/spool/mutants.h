// Named faults that can be put into the forwarder, to test its tests (./mk mutants --spool). In the product is_mutant() is
// the constant false, and the compiler removes it; the test build of this folder (FJ_MUTANTS, tests/world/CMakeLists.txt)
// has it as a variable. The same for the log store: log/file/mutants.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastjournal::spool {

enum class Mutant : std::uint8_t {
  none,
  skip_sync,
  failed_read_taken_for_end,
  name_not_kept,
  name_drawn_anew,
  erase_before_keep,
  keep_what_has_no_answer,
  ordinal_kept_too_small,
  ordinals_go_on_after_loss,
  flights_given_up_at_loss,
  numbers_come_again,
  no_space_taken_for_inserted,
  unfinished_row_passed_over,
  removed_with_a_producer,
  removed_unread,
  size_not_looked_at_again,
  held_without_identity,
  held_without_date,
  failed_hold_believed,
  failed_hold_forgotten,
  held_tables_forgotten,
  held_file_removed_too_early,
  held_span_without_bound,
  failed_aside_believed,
  failed_aside_forgotten,
  resent_too_early,
  dates_not_bounded,
  name_forgotten_with_its_file,
  moved_not_followed,
  moved_followed_once,
  tables_mixed_up,
  moved_taken_for_never,
};

// By number, as the command line and the tables name them.
inline constexpr std::array<std::string_view, 32> kMutantNames{"none",
                                                               "skip_sync",
                                                               "failed_read_taken_for_end",
                                                               "name_not_kept",
                                                               "name_drawn_anew",
                                                               "erase_before_keep",
                                                               "keep_what_has_no_answer",
                                                               "ordinal_kept_too_small",
                                                               "ordinals_go_on_after_loss",
                                                               "flights_given_up_at_loss",
                                                               "numbers_come_again",
                                                               "no_space_taken_for_inserted",
                                                               "unfinished_row_passed_over",
                                                               "removed_with_a_producer",
                                                               "removed_unread",
                                                               "size_not_looked_at_again",
                                                               "held_without_identity",
                                                               "held_without_date",
                                                               "failed_hold_believed",
                                                               "failed_hold_forgotten",
                                                               "held_tables_forgotten",
                                                               "held_file_removed_too_early",
                                                               "held_span_without_bound",
                                                               "failed_aside_believed",
                                                               "failed_aside_forgotten",
                                                               "resent_too_early",
                                                               "dates_not_bounded",
                                                               "name_forgotten_with_its_file",
                                                               "moved_not_followed",
                                                               "moved_followed_once",
                                                               "tables_mixed_up",
                                                               "moved_taken_for_never"};

#ifdef FJ_MUTANTS
inline Mutant active_mutant = Mutant::none;
[[nodiscard]] inline bool is_mutant(Mutant mutant) { return active_mutant == mutant; }
#else
[[nodiscard]] constexpr bool is_mutant(Mutant) { return false; }
#endif

}  // namespace fastjournal::spool
