// Named faults that can be put into the log on etcd, to test its lives. In the product is_mutant() is the constant
// false, and the compiler removes it; a test build of this folder (FJ_MUTANTS) has it as a variable, as for files of
// bytes (storage/mutants.h). Only .cpp files of this folder ask it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastjournal::log::etcd {

enum class Mutant : std::uint8_t {
  none,
  append_without_token,     // whoever has the log, an entry is put
  taken_number_is_mine,     // what is under the number is not compared
  durable_over_a_gap,       // an entry counts as durable though one before it is not
  unknown_is_done,          // no answer is taken for one
  gap_stays,                // entries behind a gap are not removed
  gap_removed_again,        // a late request removes what was appended since
  base_set_again,           // a late request sets the base back
  base_before_durable,      // what the base rests on may be lost
  unfinished_group_stays,   // what an owner did not finish goes on with the next one's records
  lease_from_its_answer,    // counted from when the renewal was answered
  answers_after_its_lease,  // for good
};

inline constexpr std::array<std::string_view, 12> kMutantNames{
    "none",
    "append_without_token",
    "taken_number_is_mine",
    "durable_over_a_gap",
    "unknown_is_done",
    "gap_stays",
    "gap_removed_again",
    "base_set_again",
    "base_before_durable",
    "unfinished_group_stays",
    "lease_from_its_answer",
    "answers_after_its_lease",
};

#ifdef FJ_MUTANTS
inline Mutant active_mutant = Mutant::none;
[[nodiscard]] inline bool is_mutant(Mutant mutant) { return active_mutant == mutant; }
#else
[[nodiscard]] constexpr bool is_mutant(Mutant) { return false; }
#endif

}  // namespace fastjournal::log::etcd
