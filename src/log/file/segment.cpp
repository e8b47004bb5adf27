#include "log/file/segment.h"

#include <algorithm>

#include <fmt/format.h>

namespace fastjournal::log::file {

std::uint64_t offset_in(ContainerHeader const& header, Lsn lsn) {
  return kHeaderBlocks * header.block + (lsn.value - header.first.value);
}

FoundContainer* Segment::container_at(Lsn lsn) const {
  ContainerHeader const& front = containers.front()->header;
  if (lsn < front.first) return nullptr;
  std::uint64_t const number = (lsn.value - front.first.value) / front.payload_bytes();
  return number < containers.size() ? containers[number] : nullptr;
}

std::string Segment::place(Lsn lsn) const {
  FoundContainer const* container = container_at(lsn);
  if (container == nullptr) return fmt::format("LSN {}", lsn.value);
  return fmt::format("{} offset {} (LSN {})", container->path, offset_in(container->header, lsn), lsn.value);
}

Status Segment::read(Lsn lsn, std::span<std::byte> into) const {
  while (!into.empty()) {
    FoundContainer const* container = container_at(lsn);
    if (container == nullptr) return damaged(fmt::format("no container holds LSN {}", lsn.value));
    std::size_t const part = std::min<std::uint64_t>(into.size(), container->header.end().value - lsn.value);
    auto const got = container->file->read(offset_in(container->header, lsn), into.first(part));
    if (!got.ok()) return got.status();
    if (got.value() != part) return damaged(fmt::format("{}: the file ends too early", place(lsn)));
    into = into.subspan(part);
    lsn.value += part;
  }
  return {};
}

void Segment::expect(Lsn lsn, std::uint64_t bytes) const {
  while (bytes > 0) {
    FoundContainer const* container = container_at(lsn);
    if (container == nullptr) return;
    std::uint64_t const part = std::min(bytes, container->header.end().value - lsn.value);
    container->file->expect(offset_in(container->header, lsn), part);
    bytes -= part;
    lsn.value += part;
  }
}

}  // namespace fastjournal::log::file
