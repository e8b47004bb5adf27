// The files of a log that goes on, copied: what a daemon holds for a backup (FileLog::pin) becomes a log folder of its
// own. Only what stands below the moment of the pin is taken, and the headers say no more than that moment knew. The
// daemon only names files and holds containers, so that copying costs its loop nothing; it gives up the hold before it
// would refuse a removal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "env/disk.h"
#include "storage/file_log.h"
#include "tools/progress.h"

namespace fastjournal::tools {

// Called after so many more bytes were written: whoever is to spare the disk waits there.
using Pace = std::function<void(std::uint64_t bytes)>;

struct Copied {
  std::uint64_t bytes{0};    // of files
  std::uint64_t records{0};  // that are needed
};

// Into `to_folder`, which must not be there; durable when this returns ok. Reads the copy again, all of it: damaged
// if a batch is missing in it, as when the pin was given up meanwhile. On failure what was begun stays for a look.
[[nodiscard]] Result<Copied> copy_log(env::Disk& from, std::string const& from_folder, env::Disk& to,
                                      std::string const& to_folder, core::LogSnapshot const& snapshot, Pace const& pace,
                                      Progress const& progress = {});

}  // namespace fastjournal::tools
