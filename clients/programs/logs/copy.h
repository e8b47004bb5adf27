// Copies the files of a log in use: the files that a daemon pins for a backup (LogStore::pin) become a log folder. Only
// data below the moment of the pin is copied, and the headers state no more than was known at that moment. The daemon
// only names files and keeps segments, so copying does not burden its loop. It gives up the pin rather than refuse a
// removal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/env/disk.h"
#include "clients/programs/logs/progress.h"
#include "log/file/file_log.h"

namespace fastjournal::tools {

// Called after each `bytes` written; a function that limits the disk's load waits here.
using Pace = std::function<void(std::uint64_t bytes)>;

struct Copied {
  std::uint64_t bytes{0};    // of the files
  std::uint64_t records{0};  // those still needed
};

// `to_folder` must not exist; it is durable when this returns ok. The whole copy is read back: damaged if a batch is
// missing, for example because the pin was given up meanwhile. After a failure the incomplete copy is kept for
// inspection.
[[nodiscard]] Result<Copied> copy_log(env::Disk& from, std::string const& from_folder, env::Disk& to,
                                      std::string const& to_folder, log::LogSnapshot const& snapshot, Pace const& pace,
                                      Progress const& progress = {});

}  // namespace fastjournal::tools
