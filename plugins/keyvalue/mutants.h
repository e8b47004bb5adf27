// Named faults that can be put into key/value tables, to test their tests (./mk mutants --keyvalue). In the product
// is_mutant() is the constant false, and the compiler removes it; the test build of this folder (FJ_MUTANTS,
// tests/world/CMakeLists.txt) has it as a variable. The same for the log store: log/file/mutants.h. Only .cpp files of
// this folder ask it: tests are compiled once for both builds.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastjournal::keyvalue {

enum class Mutant : std::uint8_t {
  none,
  delete_leaves_no_tombstone,
  rename_leaves_no_tombstone,
  aliases_leave_no_tombstone,
  tombstone_collected_at_once,
  older_set_wins,
  older_delete_wins,
  ties_go_to_the_first,
  future_timestamp_accepted,
  own_timestamp_not_behind,
  end_stays_in_the_order_of_dates,
  touch_not_logged,
  touch_of_any_size_logged,
  lock_outlives_its_connection,
  lock_outlives_a_restart,
  lock_not_extended_by_lost_time,
  lock_not_observed,
  lock_not_observed_at_new_key,
  anybody_unlocks,
  sum_wraps,
  zeros_left_out,
  not_of_any_type,
  delete_takes_one_key,
  new_key_overwrites,
  set_not_synced,
  delete_not_synced,
  persistent_value_replaced_unsynced,
  worked_on_not_hidden,
  persistent_pair_evicted,
  newest_pair_evicted,
  end_not_told,
  new_key_not_told,
  other_keys_not_told,
  upper_key_included,
  cursor_passes_a_key_over,
  cursor_shows_a_key_twice,
  refused_set_of_many_written,
  sent_again_applied_again,
  copy_loses_other_keys,
  copy_revives_deleted,
  copy_loses_ttl,
  replay_loses_other_keys,
  sum_of_bytes_drifts,
  hash_index_keeps_old_place,
  moved_value_keeps_no_lock,
};

// By number, as the command line and the tables name them.
inline constexpr std::array<std::string_view, 45> kMutantNames{"none",
                                                               "delete_leaves_no_tombstone",
                                                               "rename_leaves_no_tombstone",
                                                               "aliases_leave_no_tombstone",
                                                               "tombstone_collected_at_once",
                                                               "older_set_wins",
                                                               "older_delete_wins",
                                                               "ties_go_to_the_first",
                                                               "future_timestamp_accepted",
                                                               "own_timestamp_not_behind",
                                                               "end_stays_in_the_order_of_dates",
                                                               "touch_not_logged",
                                                               "touch_of_any_size_logged",
                                                               "lock_outlives_its_connection",
                                                               "lock_outlives_a_restart",
                                                               "lock_not_extended_by_lost_time",
                                                               "lock_not_observed",
                                                               "lock_not_observed_at_new_key",
                                                               "anybody_unlocks",
                                                               "sum_wraps",
                                                               "zeros_left_out",
                                                               "not_of_any_type",
                                                               "delete_takes_one_key",
                                                               "new_key_overwrites",
                                                               "set_not_synced",
                                                               "delete_not_synced",
                                                               "persistent_value_replaced_unsynced",
                                                               "worked_on_not_hidden",
                                                               "persistent_pair_evicted",
                                                               "newest_pair_evicted",
                                                               "end_not_told",
                                                               "new_key_not_told",
                                                               "other_keys_not_told",
                                                               "upper_key_included",
                                                               "cursor_passes_a_key_over",
                                                               "cursor_shows_a_key_twice",
                                                               "refused_set_of_many_written",
                                                               "sent_again_applied_again",
                                                               "copy_loses_other_keys",
                                                               "copy_revives_deleted",
                                                               "copy_loses_ttl",
                                                               "replay_loses_other_keys",
                                                               "sum_of_bytes_drifts",
                                                               "hash_index_keeps_old_place",
                                                               "moved_value_keeps_no_lock"};

#ifdef FJ_MUTANTS
inline Mutant active_mutant = Mutant::none;
[[nodiscard]] inline bool is_mutant(Mutant mutant) { return active_mutant == mutant; }
#else
[[nodiscard]] constexpr bool is_mutant(Mutant) { return false; }
#endif

}  // namespace fastjournal::keyvalue
