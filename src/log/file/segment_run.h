// Segments as a reader finds them, and the part of the logical stream in several of them. Reading it needs nothing
// else, so that any thread may do it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/format.h"

namespace fastjournal::log::file {

struct FoundSegment {
  SegmentHeader header;
  std::string path;
  std::uint8_t stale_copy{0};  // the header copy that may be overwritten first
  std::unique_ptr<env::File> file;
  Lsn live_until{};  // end of the last batch with records that touches it
};

// Segments whose payloads follow one another: what one start wrote, up to a cut.
struct SegmentRun {
  std::vector<FoundSegment*> segments;  // of one size
  Lsn limit{};                          // where the next run cuts it, or the end of the last segment
  bool last{false};

  [[nodiscard]] Lsn end() const { return segments.back()->header.end(); }
  [[nodiscard]] std::uint64_t block() const { return segments.front()->header.block; }
  // nullptr: none of them contains it.
  [[nodiscard]] FoundSegment* segment_at(Lsn lsn) const;
  // "data/shared/container-000001 offset 8192 (LSN 65536)"
  [[nodiscard]] std::string place(Lsn lsn) const;
  // All of `into` or an error.
  [[nodiscard]] Status read(Lsn lsn, std::span<std::byte> into) const;
  // A hint that these bytes will be read soon.
  void expect(Lsn lsn, std::uint64_t bytes) const;
};

// Where in its file.
[[nodiscard]] std::uint64_t offset_in(SegmentHeader const& header, Lsn lsn);

[[nodiscard]] inline Status damaged(std::string text) { return {Code::damaged, std::move(text)}; }

}  // namespace fastjournal::log::file
