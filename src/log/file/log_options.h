// How a log in files is kept: what its owner chooses when he opens it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/env/clock.h"
#include "base/env/workers.h"
#include "fastjournal/types.h"
#include "log/file/format.h"
#include "log/file_choices.h"

namespace fastjournal::log::file {

inline constexpr std::uint64_t kSegmentBytesMin = 512U << 10U;
inline constexpr std::uint64_t kSegmentBytesMax = 4ULL << 30U;

enum class SyncPolicy : std::uint8_t {
  always,    // commit() syncs groups that were promised `synced`: the default
  interval,  // commit() only writes; end_turn() syncs in time
};

struct LogOptions {
  std::string name{"shared"};  // for messages
  // segment_bytes and block_bytes are fixed when the log is created; later its headers count.
  std::uint64_t segment_bytes{16U << 20U};
  std::uint32_t initial_segments{2};
  std::size_t block_bytes{4096};  // the unit that the device writes atomically
  SyncPolicy sync{SyncPolicy::always};
  std::uint32_t sync_interval_ms{0};
  SyncPlace sync_place{SyncPlace::automatic};
  SyncMethod sync_method{SyncMethod::fdatasync};
  // The most that is decided and not known to be durable; then the loop waits.
  std::uint64_t write_buffer_bytes{64U << 20U};
  // A turn with more than this, or more than an eighth of a segment, is written in several batches; one sync covers
  // them. A batch keeps every segment that it touches, so a large one would make compaction free two segments
  // at once.
  std::uint64_t batch_bytes_max{8U << 20U};
  WhenEmpty when_empty{WhenEmpty::reset};
  Period period{Period::none};
  std::uint64_t scrub_ms{0};       // everything durable is checked once in this time; 0: never
  bool wipe{false};                // segments are overwritten with zeros when nothing in them is needed any more
  std::uint64_t store_id_seed{0};  // random, for the store id of a new log
  // For a new log with the records of another one: continues where that ended.
  Lsn first_lsn{kFirstLsn};
  std::uint32_t starts_before{0};
  // The free space of the file system that a new segment must leave.
  std::uint64_t disk_reserve_bytes{0};
  std::uint64_t segment_bytes_min{kSegmentBytesMin};  // tests use less
  env::Workers* workers{nullptr};                     // during the opening; null: this thread does everything
  env::Clock* clock{nullptr};                         // measures syncs; null: they are not measured
};

}  // namespace fastjournal::log::file
