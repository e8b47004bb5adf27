// The state of the table as a whole: its files, and the maintenance that runs. Each record about them states all of
// it, so that the last one is enough.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/types.h"
#include "plugins/blob/index.h"

namespace fastjournal::blob {

// The names under which clients open the data file, as in BlobCacher.
inline constexpr std::string_view kDataLink = "bcdb_data";
inline constexpr std::string_view kNewerLink = "bcdb_data.new";
inline constexpr std::string_view kFormerLink = "bcdb_data.old";

// An older file stays that long after the exchange: its coordinates were given out before.
inline constexpr std::int64_t kOldFileMs = 60'000;

// What is seen of a maintenance while it runs, and of the file that it replaces: option `maintenance`, in this order
// there and in records.
enum class Mode : std::uint8_t {
  modern,  // nothing: coordinates are those of the older file until the exchange, and that one is removed a minute later
  online,   // BlobCacher's version II: what has a copy is told in the newer file, what is left out is gone at once
  offline,  // BlobCacher's version I: new blobs are refused while the newer file is built
};
inline constexpr auto kLastMode = Mode::offline;

// Blobs that a maintenance leaves out; 0: none by this rule.
struct Policy {
  std::uint32_t oldest_entry_s{0};  // what was entered before
  std::uint32_t oldest_read_s{0};   // what was read last before
  std::uint64_t bytes_max{0};       // the oldest ones beyond so many bytes

  bool operator==(Policy const&) const = default;
};

struct State {
  Files files{};
  std::uint32_t last_number{1};  // of the files that ever were: none is given twice
  // One that is read no more: it was exchanged, or was being built when a maintenance was given up. 0: none.
  std::uint32_t old_file{0};
  // It stays until then; 0: until the next maintenance begins.
  std::int64_t old_ends{0};
  std::int64_t began{0};         // the last maintenance; of a table without one: the table
  Policy policy{};               // of the maintenance that runs
  std::uint64_t total{0};        // blobs that were there when it began
  std::uint64_t total_bytes{0};  // bytes of these
  Mode mode{Mode::modern};       // of the maintenance that runs, or was the last one

  bool operator==(State const&) const = default;
  [[nodiscard]] bool is_building() const { return files.next != 0; }
  [[nodiscard]] bool is_building_in(Mode wanted) const { return is_building() && mode == wanted; }
  // The old file was given up: numbers rise, so it is behind the current one.
  [[nodiscard]] bool is_old_given_up() const { return old_file > files.current; }
  // The old file has its minute.
  [[nodiscard]] bool is_waiting() const { return old_ends != 0; }
  [[nodiscard]] std::uint32_t began_s() const { return static_cast<std::uint32_t>(began / 1000); }
};

}  // namespace fastjournal::blob
