// The result of the opening of a log, for its writer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/env/disk.h"
#include "fastjournal/types.h"
#include "log/file/log_options.h"
#include "log/file/newest_file.h"
#include "log/file/segment.h"

namespace fastjournal::log::file {

// The segments that were there, and the numbers that go on.
struct AdoptedSegments {
  std::vector<Segment> chain;  // needed, in the order of the stream
  std::vector<Segment> free;
  std::uint64_t store_id{0};
  std::uint32_t start{0};       // number of this opening
  std::uint64_t generation{0};  // the highest given
  std::uint32_t index{0};       // the highest given
  Lsn base_on_disk{};           // the highest base in a header
};

struct OpenedLog {
  LogOptions options;  // sizes as in the headers
  std::unique_ptr<env::FolderLock> lock;
  AdoptedSegments found;
  std::unique_ptr<NewestFile> newest;
  Lsn next{};  // where the stream goes on
};

}  // namespace fastjournal::log::file
