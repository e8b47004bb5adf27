#include "log/file/segment_run.h"

#include <algorithm>

#include <fmt/format.h>

namespace fastjournal::log::file {

std::uint64_t offset_in(SegmentHeader const& header, Lsn lsn) {
  return kHeaderBlocks * header.block + (lsn.value - header.first.value);
}

FoundSegment* SegmentRun::segment_at(Lsn lsn) const {
  SegmentHeader const& front = segments.front()->header;
  if (lsn < front.first) return nullptr;
  std::uint64_t const number = (lsn.value - front.first.value) / front.payload_bytes();
  return number < segments.size() ? segments[number] : nullptr;
}

std::string SegmentRun::place(Lsn lsn) const {
  FoundSegment const* segment = segment_at(lsn);
  if (segment == nullptr) return fmt::format("LSN {}", lsn.value);
  return fmt::format("{} offset {} (LSN {})", segment->path, offset_in(segment->header, lsn), lsn.value);
}

Status SegmentRun::read(Lsn lsn, std::span<std::byte> into) const {
  while (!into.empty()) {
    FoundSegment const* segment = segment_at(lsn);
    if (segment == nullptr) return damaged(fmt::format("no segment holds LSN {}", lsn.value));
    std::size_t const part = std::min<std::uint64_t>(into.size(), segment->header.end().value - lsn.value);
    auto const got = segment->file->read(offset_in(segment->header, lsn), into.first(part));
    if (!got.ok()) return got.status();
    if (got.value() != part) return damaged(fmt::format("{}: the file ends too early", place(lsn)));
    into = into.subspan(part);
    lsn.value += part;
  }
  return {};
}

void SegmentRun::expect(Lsn lsn, std::uint64_t bytes) const {
  while (bytes > 0) {
    FoundSegment const* segment = segment_at(lsn);
    if (segment == nullptr) return;
    std::uint64_t const part = std::min(bytes, segment->header.end().value - lsn.value);
    segment->file->expect(offset_in(segment->header, lsn), part);
    bytes -= part;
    lsn.value += part;
  }
}

}  // namespace fastjournal::log::file
