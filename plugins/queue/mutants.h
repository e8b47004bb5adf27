// Named faults that can be put into queue tables, to test their tests. In the product is_mutant() is the constant false,
// and the compiler removes it; a test build of this folder (FJ_MUTANTS) has it as a variable, as for key/value tables
// (plugins/keyvalue/mutants.h). Only .cpp files of this folder ask it.
//
// Among them are the defects that stores of queues are known for: part_reads_too_much (max in place of min),
// part_begins_at_the_front (a later chunk read as the first), promise_not_held (the list of a transaction's messages never
// filled), accepted_twice (a search whose result is not looked at), same_queue_twice (a loop that does not advance over
// the queues of a message), only_first_binding_ended (a set that is changed while it is walked), base_passes_queues (the
// base of the log beyond what is needed), orphan_kept (a beginning without an end kept for ever), old_message_pins_the_base.
// Those of prepared transactions are in base/transaction_mutants.h: empty_branch_lost, prepared_times_out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastjournal::queue {

enum class Mutant : std::uint8_t {
  none,
  hash_needs_a_word,
  word_found_once,
  patterns_not_counted,
  part_reads_too_much,
  part_begins_at_the_front,
  shared_body_never_ends,
  shared_body_ends_with_the_first,
  replay_ends_shared_body,
  second_queue_left_out,
  only_first_binding_ended,
  removed_queue_keeps_its_messages,
  bindings_outlive_their_queue,
  orphan_kept,
  copy_loses_shared_body,
  copy_loses_bindings,
  copy_loses_settings,
  old_message_pins_the_base,
  dead_letter_keeps_its_attempts,
  dead_letter_dropped,
  limit_not_observed,
  limit_of_promises_not_counted,
  drop_takes_parked_ones_first,
  release_goes_to_the_end,
  redelivery_not_marked,
  rejected_comes_again,
  accepted_twice,
  temporary_outlives_its_connection,
  temporary_outlives_a_restart,
  binding_ended_under_a_transaction,
  queue_ended_under_a_transaction,
  taken_at_most_once_leased,
  promise_not_held,
  same_queue_twice,
  base_passes_queues,
};

// By number, as the command line and the tables name them.
inline constexpr std::array<std::string_view, 35> kMutantNames{"none",
                                                               "hash_needs_a_word",
                                                               "word_found_once",
                                                               "patterns_not_counted",
                                                               "part_reads_too_much",
                                                               "part_begins_at_the_front",
                                                               "shared_body_never_ends",
                                                               "shared_body_ends_with_the_first",
                                                               "replay_ends_shared_body",
                                                               "second_queue_left_out",
                                                               "only_first_binding_ended",
                                                               "removed_queue_keeps_its_messages",
                                                               "bindings_outlive_their_queue",
                                                               "orphan_kept",
                                                               "copy_loses_shared_body",
                                                               "copy_loses_bindings",
                                                               "copy_loses_settings",
                                                               "old_message_pins_the_base",
                                                               "dead_letter_keeps_its_attempts",
                                                               "dead_letter_dropped",
                                                               "limit_not_observed",
                                                               "limit_of_promises_not_counted",
                                                               "drop_takes_parked_ones_first",
                                                               "release_goes_to_the_end",
                                                               "redelivery_not_marked",
                                                               "rejected_comes_again",
                                                               "accepted_twice",
                                                               "temporary_outlives_its_connection",
                                                               "temporary_outlives_a_restart",
                                                               "binding_ended_under_a_transaction",
                                                               "queue_ended_under_a_transaction",
                                                               "taken_at_most_once_leased",
                                                               "promise_not_held",
                                                               "same_queue_twice",
                                                               "base_passes_queues"};

#ifdef FJ_MUTANTS
inline Mutant active_mutant = Mutant::none;
[[nodiscard]] inline bool is_mutant(Mutant mutant) { return active_mutant == mutant; }
#else
[[nodiscard]] constexpr bool is_mutant(Mutant) { return false; }
#endif

}  // namespace fastjournal::queue
