// An administrator's choices for a log in files: one declaration for the reader of the configuration and for the
// log itself.
#pragma once

#include <cstdint>

namespace fastjournal::log {

// Where syncs are done.
enum class SyncPlace : std::uint8_t {
  automatic,  // on the loop; elsewhere while they are slow
  on_loop,    // the shortest latency for a single client
  on_thread,  // turns continue during a sync: dates and other logs do not wait for it
};

// How a batch becomes durable. Behind a write that was not synced, write and fdatasync cost the same as two direct
// writes, and keep one order.
enum class SyncMethod : std::uint8_t {
  automatic,  // direct, if a test at the start shows that it works
  fdatasync,  // write, then fdatasync
  direct,     // in one call that bypasses the kernel's cache, if nothing unsynced precedes it; else as above
};

// The segments that an empty log keeps. Its dead records are dropped in any case, and no LSN repeats.
enum class WhenEmpty : std::uint8_t {
  reset,     // as many as allowed: max(initial-containers, 4)
  truncate,  // the current one, and the two of the reserve
  remove,    // only the current one; the next addition waits until two others are created ("delete")
};

// How long new rows go into the same files. Those of a period that is over are only emptied: what is left of them is
// copied once one more period is over, so that no file is older than two.
enum class Period : std::uint8_t { none, hour, day, month };

}  // namespace fastjournal::log
