// Single batches of a stream, found at a place or not: for the search of the first one, and for what stands beyond the
// last one. Batches that follow one another are read ahead instead (read_ahead.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fastjournal/status.h"
#include "log/file/segment_run.h"

namespace fastjournal::log::file {

// Owned by the reader. Holds a window of the stream, since the next place is usually near.
class BatchWindow {
 public:
  struct Found {
    bool plausible{false};  // something that looks like the batch's header is there
    bool intact{false};     // and everything is right
    BatchHeader header;
    std::span<std::byte const> bytes;  // valid until the next look
  };
  [[nodiscard]] Result<Found> batch_at(SegmentRun const& run, Lsn lsn);
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  Result<std::span<std::byte const>> view(SegmentRun const& run, Lsn lsn, std::uint64_t bytes);

  std::vector<std::byte> window_;
  Lsn window_at_{};
  std::uint64_t window_bytes_{0};
  std::uint64_t bytes_read_{0};
};

}  // namespace fastjournal::log::file
