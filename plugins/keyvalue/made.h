// Made by ./mk generate from plugins/keyvalue/keyvalue.xml: do not edit.
// clang-format off
// The options of keyvalue tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plugins/rows/table_type.h"

namespace fastjournal::keyvalue::made {

enum class WhenFullChoice : std::uint8_t { refuse, evict };

// The options of a table; durations are ms, sizes bytes.
struct Options {
  std::uint64_t key_size_max{1'024};  // the longest key
  std::uint64_t value_size_max{16'777'216};  // the largest value
  std::uint32_t pairs_max{0};  // so many pairs at most, tombstones included; 0: no limit
  std::uint64_t memory_max{0};  // so many bytes of memory at most; 0: no limit
  // what a SET of a new key does at these limits: it is refused; or pairs without persist are dropped, those first that
  // were not read or written for longest
  WhenFullChoice when_full{WhenFullChoice::refuse};
  bool persist{true};  // whether a SET that does not say is answered only once it is synced
  // timestamps further in the future are refused: a clock that is fast would keep all others out
  std::int64_t max_clock_skew{10'000};
  std::int64_t tombstone_keep{3'600'000};  // how long deleted keys are remembered; older timestamps are refused
  std::int64_t lock_max{3'600'000};  // the longest lock
  std::int64_t client_keep{604'800'000};  // how long a silent client's sequence numbers are remembered
  // how many clients' names and sequence numbers are remembered; one origin may have half of them
  std::uint32_t clients_max{100'000};

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
};

}  // namespace fastjournal::keyvalue::made
