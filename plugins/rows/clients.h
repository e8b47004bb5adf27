// The clients that number their inserts, as objects of the log: their windows (dedup_windows.h) and the records of these.
// They belong to rows and not to one table type, because the record that makes a row, or changes it, also names its
// sender: one record for both, whatever is built on rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fastjournal/capabilities.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/dedup_windows.h"
#include "plugins/rows/records.h"

namespace fastjournal::rows {

// Of one table; owned by its RowTable.
class Clients {
 public:
  explicit Clients(std::uint64_t hash_seed) : windows_(hash_seed) {}

  [[nodiscard]] DedupWindows const& windows() const { return windows_; }
  // The first date at which one of them is dropped, if names are kept so long; INT64_MAX: there is none.
  [[nodiscard]] std::int64_t first_unused(std::int64_t keep_ms) const;
  // Appends the end of those that were unused for so long, at most so many. Returns their number.
  std::uint32_t drop_unused(std::int64_t keep_ms, std::int64_t now, std::uint32_t max, Records& records) const;

  // -- applying -----------------------------------------------------------
  // An insert was carried out; `lsn` is the place of its record.
  void note(Sender const& sender, ObjectId row, std::int64_t now, Lsn lsn) {
    windows_.note(sender.client, sender.sequence, row, now, lsn);
  }
  // A record of a client; `seen` learns its date. False: malformed.
  [[nodiscard]] bool apply(RecordView const& record, std::int64_t& seen);
  void lower_clock(std::int64_t to) { windows_.lower_clock(to); }
  // Of a record type that every table with clients has; 0: it is of the table's own.
  [[nodiscard]] static std::uint8_t newest_version(std::uint8_t type);

  // -- space, followers, digest -------------------------------------------
  // Compacts what stands below. True if more remains, or there was no room.
  bool compact(Lsn below, CopyRoom& room, Records& records) const;
  // From the client and segment of the cursor on: at[1] is the client's place, at[2] 0 (nothing of it yet) or 1 + its
  // next segment. True: that was the last.
  bool snapshot(SnapshotCursor& cursor, CopyRoom& page, Records& records) const;
  void digest(DigestSink& sink) const;

 private:
  void append_segment(DedupWindows::Client const& client, std::uint64_t number, DedupWindows::Segment const& segment,
                      Records& records) const;

  DedupWindows windows_;
  // Where the next search for objects to compact begins: a hint, as the search covers all from anywhere.
  mutable std::uint32_t compact_from_{0};
};

}  // namespace fastjournal::rows
