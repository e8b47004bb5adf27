// A log as the engine uses it, whatever its implementation (log_store.h: as its owner drives it). A record is
// appended to the open batch at once and gets its LSN there; commit() at the end of the turn makes the batch durable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fastjournal/record.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "log/file_choices.h"

namespace fastjournal::log {

struct LogUsage {
  std::uint64_t disk_bytes{0};     // of all segments, used or spare
  std::uint64_t logical_bytes{0};  // end - base
  std::uint32_t segments{0};
  std::uint32_t segments_free{0};
  std::uint32_t segments_kept{0};       // beside twice what lives, at most
  std::uint32_t segments_free_most{0};  // spare segments that may be prepared in addition
  std::uint32_t segments_pinned{0};     // in addition: held for a backup
  std::uint64_t left_bytes{0};          // left in the current segment
  std::uint64_t room_bytes{0};          // of it and of the spare ones
  Lsn oldest_segment_end{};             // compaction all objects below it frees the oldest segment
  bool is_short{false};                 // the reserve of segments is not complete
};

// The type of records of table 0 with the time. Every batch has one; a reader of the catalogue alone skips them.
inline constexpr std::uint8_t kClockRecord = 4;

class Log {
 public:
  virtual ~Log() = default;

  // Makes sure that `bytes` of records fit before the next commit, segment headers and padding included. False: there
  // is no room; nothing changed. `removing` may use the space that is reserved for removals.
  [[nodiscard]] virtual bool reserve(std::size_t bytes, bool removing) = 0;
  // Why reserve() last returned false, if the disk was not full: for an operator, who would otherwise look for space.
  [[nodiscard]] virtual std::string shortage() const { return {}; }
  // For compaction: may also use the space that removals must leave, because it frees more than it uses. `bytes`
  // with the headers of the records.
  [[nodiscard]] virtual bool reserve_to_compact(std::size_t bytes) = 0;
  // Removals must leave this much: the bytes still to be copied to free the oldest segment. Initially a whole
  // segment.
  virtual void keep_for_compaction(std::uint64_t bytes) = 0;
  // Keeps room for `bytes` of records that are appended later: reserve() leaves it alone until free() with the same
  // number. False: there is no room; nothing changed.
  [[nodiscard]] virtual bool hold(std::size_t bytes, bool removing) = 0;
  virtual void free(std::size_t bytes) = 0;
  // Within what was reserved; the body is filled by the caller before the next call.
  virtual Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                                std::size_t body_bytes) = 0;
  // The records since the last end_group are one group: after recovery all of them are there, or none.
  virtual void end_group(Durability durability) = 0;
  // Writes the open batch, and syncs if any group in it, or an earlier write
  // that was not synced, was promised `synced`. An error is fatal: nothing
  // more may be acknowledged.
  [[nodiscard]] virtual Status commit() = 0;

  // Everything up to now is synced before anything more is sent, whatever was promised.
  virtual void want_sync() {}

  // The place of the next record.
  [[nodiscard]] virtual Lsn end_lsn() const = 0;
  // Everything below is durable / was given to the kernel.
  [[nodiscard]] virtual Lsn durable_lsn() const = 0;
  // Answers of decisions up to the last commit, or end of a turn, may leave once durable_lsn() is here.
  [[nodiscard]] virtual Lsn needed_lsn() const = 0;
  [[nodiscard]] virtual Lsn written_lsn() const = 0;
  // The end of the records that were found when this store was opened; and of those that will be found the next time at
  // least, whatever happens until then. What was sure is found, unless the store was lost or replaced by an older copy.
  [[nodiscard]] virtual Lsn found_lsn() const = 0;
  [[nodiscard]] virtual Lsn sure_lsn() const = 0;
  // Nothing below `base` is needed any more, and nothing below `catalogue`, which is not lower, of the records of table
  // 0. Rests on every record appended so far: it takes effect once these are durable, and durably before a segment is
  // used again. The log waits for that, not the engine: under load there is no moment at which everything is durable.
  virtual void set_base(Lsn base, Lsn catalogue) = 0;
  // All tables of this log are empty: continues in a fresh segment, so that everything before it can be freed once
  // the base has passed it, and keeps few segments (`when-empty`) until something is added. Called between batches;
  // does nothing if there is nothing to gain or no segment. An error is fatal.
  [[nodiscard]] virtual Status reset() { return {}; }
  // How long new records go into the same files; and at the begin of a period: the log goes on in a fresh segment.
  // Between batches, once all is durable; does nothing if there is no segment. An error is fatal.
  [[nodiscard]] virtual Period period() const { return Period::none; }
  [[nodiscard]] virtual Status begin_period() { return {}; }
  // The next record gets this LSN or a higher one, for a table that comes from another log and keeps the numbers of its
  // rows. Between batches, once something was appended and all of it is durable. False: not now, and nothing changed.
  [[nodiscard]] virtual bool skip_to(Lsn at) = 0;
  [[nodiscard]] virtual Lsn base_lsn() const = 0;
  // How often this store was opened for writing, this time included; durable before open returned.
  [[nodiscard]] virtual std::uint32_t start() const = 0;
  // False: it may be away while this computer works. The daemon's own state (its alerts, the numbers of a volatile log)
  // is in a local log.
  [[nodiscard]] virtual bool is_local() const { return true; }
  // Random, drawn when the log was created: tells the LSNs of two logs apart.
  [[nodiscard]] virtual std::uint64_t store_id() const = 0;
  [[nodiscard]] virtual LogUsage usage() const = 0;
  // Not none: something between the base and this LSN can no longer be read. It is not needed once the base is here.
  [[nodiscard]] virtual Lsn damaged_end() const { return kNoLsn; }
};

}  // namespace fastjournal::log
