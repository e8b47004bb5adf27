// Changes the segment size of a log: a new log is written next to the old one, read back, and put in its place by
// exchanging the two names. At any moment there is one whole log under the name, so an interrupted resize can simply be
// repeated. Segments of two sizes in one log would affect every reader and every proof of the store, for a rare task.
// Both folders stay locked until the exchange is durable; otherwise a daemon could write to the folder that is removed.
// The remains of an interrupted run are refused, not removed: the tool cannot know who made that folder.
#pragma once

#include <cstdint>
#include <string>

#include "base/env/disk.h"
#include "clients/programs/logs/verify.h"
#include "engine/types.h"

namespace fastjournal::tools {

// Suffix of the folder's name: the new log while it is written; the old log between the exchange and its removal.
inline constexpr char kResizeSuffix[] = ".resize";

struct Resized {
  std::uint64_t segment_bytes_before{0};
  LogFacts log;  // after the call
  // Not ok: the disk's error when removing the old log, which is no longer needed.
  Status left_behind;
  [[nodiscard]] bool changed() const { return segment_bytes_before != log.segment_bytes; }
};

// ok without a change: the segments already have this size. bad_configuration: not a valid size (512 KiB to 4 GiB).
// bad_parameter: FOLDER.resize exists, left by an interrupted resize and not needed. in_use, not_found, and the
// errors of a start: as for `verify`. no_space. not_supported: the file system cannot exchange names. After any of
// these the folder is unchanged. io_error: see its text. `store_id`: random, for the new log.
[[nodiscard]] Result<Resized> resize(env::Disk& disk, std::string const& folder, std::uint64_t segment_bytes,
                                     engine::TableTypes const& types, std::uint64_t store_id,
                                     Progress const& progress = {});

}  // namespace fastjournal::tools
