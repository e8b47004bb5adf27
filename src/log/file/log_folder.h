// A log's folder as it is found: the segments with their headers, the file `newest`, and the order of the stream that
// follows from them. What the batches say is read later (log_reader.h). Nothing here changes anything on disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/newest.h"
#include "log/file/segment_run.h"

namespace fastjournal::log::file {

// Owned by the reader. Invariant once order() returned ok: the chain has every segment that the headers say is
// needed, each of which fits the one before it.
class LogFolder {
 public:
  // Reads the headers. ok with no segments: there is no log yet. damaged: names segment and offset.
  [[nodiscard]] static Result<LogFolder> open(env::Disk& disk, std::string folder);
  // Once. What follows is valid after it.
  [[nodiscard]] Status order();

  // All segments, by index.
  [[nodiscard]] std::vector<FoundSegment>& segments() { return segments_; }
  [[nodiscard]] std::vector<FoundSegment> const& segments() const { return segments_; }
  [[nodiscard]] FoundNewest const& newest() const { return newest_; }
  [[nodiscard]] std::vector<std::string> const& notes() const { return notes_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

  // The segments with the stream from base to the end, in its order.
  [[nodiscard]] std::vector<FoundSegment*> const& chain() const { return chain_; }
  [[nodiscard]] std::vector<SegmentRun> const& runs() const { return runs_; }
  // The largest base that a header names.
  [[nodiscard]] Lsn base() const { return base_; }
  // Everything below is durable, as headers and `newest` say.
  [[nodiscard]] Lsn durable() const { return durable_; }

 private:
  LogFolder(env::Disk& disk, std::string folder) : disk_(&disk), folder_(std::move(folder)) {}

  Status read_headers(std::string const& name, std::uint32_t index);
  Status check_alike() const;
  Status check_newest() const;
  Status make_runs();

  env::Disk* disk_;
  std::string folder_;
  std::uint64_t bytes_read_{0};
  FoundNewest newest_;
  std::vector<FoundSegment> segments_;
  std::vector<FoundSegment*> chain_;
  std::vector<SegmentRun> runs_;
  std::vector<std::string> notes_;
  Lsn base_{};
  Lsn durable_{};
};

}  // namespace fastjournal::log::file
