// Named faults that can be put into the log store, to test its tests (./mk mutants). In the product is_mutant() is the
// constant false, and the compiler removes it. Only the test build of this folder (FJ_MUTANTS,
// tests/crash/CMakeLists.txt) has it as a variable: one library then serves all mutants, where a build for each would
// take minutes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastjournal::log::file {

enum class Mutant : std::uint8_t {
  none,
  skip_data_sync,
  skip_folder_sync,
  skip_header_sync,
  skip_sync_between_header_copies,
  sync_last_container_only,
  believe_failed_sync,
  skip_lsn_check,
  skip_lap_check,
  skip_checksum_seed,
  accept_torn_batch,
  skip_durable_check,
  skip_header_durable_check,
  forget_cut,
  keep_start_number,
  append_at_cut,
  skip_proof_at_start,
  base_before_durable,
  catalogue_before_durable,
  base_of_header_not_bounded,
  remove_before_base_is_told,
  keep_unfinished_containers,
  flush_covers_what_came_later,
  flush_takes_the_base_of_its_end,
  write_through_to_memory_only,
  newest_not_written,
  newest_written_too_early,
  newest_not_synced,
  newest_told_before_the_sync,
  newest_name_not_synced,
  newest_not_looked_at,
  parents_not_synced,
  interval_never_over,
  one_container_freed_a_sync,
};

// By number, as the command line and the tables name them.
inline constexpr std::array<std::string_view, 34> kMutantNames{"none",
                                                               "skip_data_sync",
                                                               "skip_folder_sync",
                                                               "skip_header_sync",
                                                               "skip_sync_between_header_copies",
                                                               "sync_last_container_only",
                                                               "believe_failed_sync",
                                                               "skip_lsn_check",
                                                               "skip_lap_check",
                                                               "skip_checksum_seed",
                                                               "accept_torn_batch",
                                                               "skip_durable_check",
                                                               "skip_header_durable_check",
                                                               "forget_cut",
                                                               "keep_start_number",
                                                               "append_at_cut",
                                                               "skip_proof_at_start",
                                                               "base_before_durable",
                                                               "catalogue_before_durable",
                                                               "base_of_header_not_bounded",
                                                               "remove_before_base_is_told",
                                                               "keep_unfinished_containers",
                                                               "flush_covers_what_came_later",
                                                               "flush_takes_the_base_of_its_end",
                                                               "write_through_to_memory_only",
                                                               "newest_not_written",
                                                               "newest_written_too_early",
                                                               "newest_not_synced",
                                                               "newest_told_before_the_sync",
                                                               "newest_name_not_synced",
                                                               "newest_not_looked_at",
                                                               "parents_not_synced",
                                                               "interval_never_over",
                                                               "one_container_freed_a_sync"};

#ifdef FJ_MUTANTS
// Set before any log is opened.
inline Mutant active_mutant = Mutant::none;
[[nodiscard]] inline bool is_mutant(Mutant mutant) { return active_mutant == mutant; }
#else
[[nodiscard]] constexpr bool is_mutant(Mutant) { return false; }
#endif

}  // namespace fastjournal::log::file
