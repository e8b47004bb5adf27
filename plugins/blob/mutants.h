// Named faults that can be put into blob tables, to test their tests. In the product is_mutant() is the constant false,
// and the compiler removes it; a test build of this folder (FJ_MUTANTS) has it as a variable, as for key/value tables
// (plugins/keyvalue/mutants.h). Only .cpp files of this folder ask it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastjournal::blob {

enum class Mutant : std::uint8_t {
  none,
  freed_not_told,
  copy_outlives_its_blob,
  page_loses_copies,
  page_loses_marks,
  wrong_hash_accepted,
  older_place_accepted,
  exchanged_with_one_left,
  changed_blob_moved,
  old_file_ends_at_once,
  lost_time_shortens_the_rest,
  put_meanwhile_not_copied,
  omitted_blob_kept,
  oldest_kept_by_size,
  read_blob_unreferenced,
  sent_again_stored_again,
  blobs_max_ignored,
  cancelled_file_listed,
  number_given_twice,
  damaged_blob_ends_maintenance,
  put_keeps_mark,
  mode_not_recorded,
  left_blob_stays,
  put_left_out,
  exchanged_without_quiet,
  named_read_not_noted,
  newer_told_before_its_link,
  newer_told_as_older,
  given_up_file_ends_at_once,
  offline_put_accepted,
  former_file_ends_after_a_minute,
  former_file_stays,
  readers_not_detached,
  exchanged_without_promised,
  held_key_put_by_others,
  promised_blobs_not_counted,
  limit_checked_again,
};

// By number, as the command line and the tables name them.
inline constexpr std::array<std::string_view, 37> kMutantNames{"none",
                                                               "freed_not_told",
                                                               "copy_outlives_its_blob",
                                                               "page_loses_copies",
                                                               "page_loses_marks",
                                                               "wrong_hash_accepted",
                                                               "older_place_accepted",
                                                               "exchanged_with_one_left",
                                                               "changed_blob_moved",
                                                               "old_file_ends_at_once",
                                                               "lost_time_shortens_the_rest",
                                                               "put_meanwhile_not_copied",
                                                               "omitted_blob_kept",
                                                               "oldest_kept_by_size",
                                                               "read_blob_unreferenced",
                                                               "sent_again_stored_again",
                                                               "blobs_max_ignored",
                                                               "cancelled_file_listed",
                                                               "number_given_twice",
                                                               "damaged_blob_ends_maintenance",
                                                               "put_keeps_mark",
                                                               "mode_not_recorded",
                                                               "left_blob_stays",
                                                               "put_left_out",
                                                               "exchanged_without_quiet",
                                                               "named_read_not_noted",
                                                               "newer_told_before_its_link",
                                                               "newer_told_as_older",
                                                               "given_up_file_ends_at_once",
                                                               "offline_put_accepted",
                                                               "former_file_ends_after_a_minute",
                                                               "former_file_stays",
                                                               "readers_not_detached",
                                                               "exchanged_without_promised",
                                                               "held_key_put_by_others",
                                                               "promised_blobs_not_counted",
                                                               "limit_checked_again"};

#ifdef FJ_MUTANTS
inline Mutant active_mutant = Mutant::none;
[[nodiscard]] inline bool is_mutant(Mutant mutant) { return active_mutant == mutant; }
#else
[[nodiscard]] constexpr bool is_mutant(Mutant) { return false; }
#endif

}  // namespace fastjournal::blob
