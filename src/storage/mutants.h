// Named faults that can be put into files of bytes, to test their tests. In the product is_mutant() is the constant false,
// and the compiler removes it; a test build of this folder (FJ_MUTANTS) has it as a variable. Only .cpp files of this
// folder ask it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastjournal::storage {

enum class Mutant : std::uint8_t {
  none,
  freed_before_durable,
  freed_while_read,
  stored_without_sync,
  base_does_not_wait,
  base_does_not_wait_for_job,
  replay_writes_nothing,
  removed_with_places_out,
  number_given_again,
  neighbour_punched,
  garbage_stays,
  left_over_stays,
  cut_file_accepted,
  hash_not_compared,
  failed_sync_ignored,
  short_value_accepted,
  stranger_not_compared,
  given_back_stays_taken,
  promised_given_back,
  promised_file_removed,
  promised_not_copied,
  start_copies_nothing,
  let_go_before_durable,
  let_go_is_not_given_back,
  moved_twice,
  moved_not_compared,
  empty_value_has_place,
  lost_file_not_seen,
};

// By number, as tests name them.
inline constexpr std::array<std::string_view, 28> kMutantNames{"none",
                                                               "freed_before_durable",
                                                               "freed_while_read",
                                                               "stored_without_sync",
                                                               "base_does_not_wait",
                                                               "base_does_not_wait_for_job",
                                                               "replay_writes_nothing",
                                                               "removed_with_places_out",
                                                               "number_given_again",
                                                               "neighbour_punched",
                                                               "garbage_stays",
                                                               "left_over_stays",
                                                               "cut_file_accepted",
                                                               "hash_not_compared",
                                                               "failed_sync_ignored",
                                                               "short_value_accepted",
                                                               "stranger_not_compared",
                                                               "given_back_stays_taken",
                                                               "promised_given_back",
                                                               "promised_file_removed",
                                                               "promised_not_copied",
                                                               "start_copies_nothing",
                                                               "let_go_before_durable",
                                                               "let_go_is_not_given_back",
                                                               "moved_twice",
                                                               "moved_not_compared",
                                                               "empty_value_has_place",
                                                               "lost_file_not_seen"};

#ifdef FJ_MUTANTS
inline Mutant active_mutant = Mutant::none;
[[nodiscard]] inline bool is_mutant(Mutant mutant) { return active_mutant == mutant; }
#else
[[nodiscard]] constexpr bool is_mutant(Mutant) { return false; }
#endif

}  // namespace fastjournal::storage
