// What is known of the table as a whole: its files, and the maintenance that runs. Each record about them states all of
// it, so that the last one is enough.
#pragma once

#include <cstdint>

#include "fastjournal/types.h"
#include "plugins/blob/index.h"

namespace fastjournal::blob {

// An older file stays that long after the exchange: its coordinates were given out before.
inline constexpr std::int64_t kOldFileMs = 60'000;

// What a maintenance leaves out; 0: nothing by this rule.
struct Policy {
  std::uint32_t oldest_entry_s{0};  // what was entered before
  std::uint32_t oldest_read_s{0};   // what was read last before
  std::uint64_t bytes_max{0};       // the oldest ones beyond so many bytes

  bool operator==(Policy const&) const = default;
};

struct State {
  Files files{};
  std::uint32_t last_number{1};  // of the files that ever were: none is given twice
  std::uint32_t old_file{0};     // it was exchanged, and stays until `old_ends`; 0: none
  std::int64_t old_ends{0};
  std::int64_t began{0};   // the last maintenance; of a table without one: the table
  Policy policy{};         // of the maintenance that runs
  std::uint64_t total{0};  // blobs that were there when it began

  bool operator==(State const&) const = default;
  [[nodiscard]] bool is_building() const { return files.next != 0; }
  [[nodiscard]] std::uint32_t began_s() const { return static_cast<std::uint32_t>(began / 1000); }
};

}  // namespace fastjournal::blob
