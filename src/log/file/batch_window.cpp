#include "log/file/batch_window.h"

#include <algorithm>

namespace fastjournal::log::file {

namespace {

constexpr std::uint64_t kWindowBytes = 1U << 20U;

}  // namespace

Result<std::span<std::byte const>> BatchWindow::view(Segment const& segment, Lsn lsn, std::uint64_t bytes) {
  bool const inside = lsn >= window_at_ && lsn.value + bytes <= window_at_.value + window_bytes_;
  if (!inside) {
    std::uint64_t const left = segment.end().value - lsn.value;
    std::uint64_t const want = std::min(left, std::max(bytes, kWindowBytes));
    if (window_.size() < want) window_.resize(want);
    window_bytes_ = 0;
    if (Status status = segment.read(lsn, std::span(window_).first(want)); !status.ok()) return status;
    bytes_read_ += want;
    window_at_ = lsn;
    window_bytes_ = want;
  }
  return std::span<std::byte const>(window_).subspan(lsn.value - window_at_.value, bytes);
}

Result<BatchWindow::Found> BatchWindow::batch_at(Segment const& segment, Lsn lsn) {
  Found found;
  FoundContainer const* container = segment.container_at(lsn);
  if (container == nullptr) return found;
  auto const head = view(segment, lsn, kBatchHeaderBytes);
  if (!head.ok()) return head.status();
  auto const header = decode_batch(head.value(), lsn, container->header.generation, container->header.block);
  if (!header) return found;
  found.plausible = true;
  found.header = *header;
  if (header->end() > segment.end()) return found;
  auto const bytes = view(segment, lsn, header->length);
  if (!bytes.ok()) return bytes.status();
  found.bytes = bytes.value();
  found.intact = is_intact(*header, container->header.store_id, found.bytes);
  return found;
}

}  // namespace fastjournal::log::file
