#include "log/file/batch_window.h"

#include <algorithm>

namespace fastjournal::log::file {

namespace {

constexpr std::uint64_t kWindowBytes = 1U << 20U;

}  // namespace

Result<std::span<std::byte const>> BatchWindow::view(SegmentRun const& run, Lsn lsn, std::uint64_t bytes) {
  bool const inside = lsn >= window_at_ && lsn.value + bytes <= window_at_.value + window_bytes_;
  if (!inside) {
    std::uint64_t const left = run.end().value - lsn.value;
    std::uint64_t const want = std::min(left, std::max(bytes, kWindowBytes));
    if (window_.size() < want) window_.resize(want);
    window_bytes_ = 0;
    if (Status status = run.read(lsn, std::span(window_).first(want)); !status.ok()) return status;
    bytes_read_ += want;
    window_at_ = lsn;
    window_bytes_ = want;
  }
  return std::span<std::byte const>(window_).subspan(lsn.value - window_at_.value, bytes);
}

Result<BatchWindow::Found> BatchWindow::batch_at(SegmentRun const& run, Lsn lsn) {
  Found found;
  FoundSegment const* segment = run.segment_at(lsn);
  if (segment == nullptr) return found;
  auto const head = view(run, lsn, kBatchHeaderBytes);
  if (!head.ok()) return head.status();
  auto const header = decode_batch(head.value(), lsn, segment->header.generation, segment->header.block);
  if (!header) return found;
  found.plausible = true;
  found.header = *header;
  if (header->end() > run.end()) return found;
  auto const bytes = view(run, lsn, header->length);
  if (!bytes.ok()) return bytes.status();
  found.bytes = bytes.value();
  found.intact = is_intact(*header, segment->header.store_id, found.bytes);
  return found;
}

}  // namespace fastjournal::log::file
