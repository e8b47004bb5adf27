#include "log/file/chain.h"

#include <algorithm>
#include <iterator>

#include "log/file/segment.h"

namespace fastjournal::log::file {

void Chain::append(Container container) {
  FJ_CHECK(prepared_.empty(), "prepared containers follow the current one");
  if (!used_.empty()) used_.back().file.reset();
  used_.push_back(std::move(container));
}

Chain::Containers Chain::take_prepared() {
  for (Container& container : prepared_) container.file.reset();
  return std::exchange(prepared_, {});
}

Lsn Chain::limit_of(Containers::const_iterator container) const {
  // The header of the next container has the end of one that a start left half full.
  auto const next = std::next(container);
  return next == used_.end() ? container->header.end() : std::min(container->header.end(), next->header.cut);
}

bool Chain::has_generation(std::uint64_t generation) const {
  return std::any_of(used_.begin(), used_.end(),
                     [generation](Container const& one) { return one.header.generation == generation; });
}

std::uint64_t Chain::bytes_between(Lsn base, Lsn end) const {
  std::uint64_t bytes = 0;
  for (auto container = used_.begin(); container != used_.end(); ++container) {
    Lsn const limit = std::min(limit_of(container), end);
    Lsn const begin = std::max(container->header.first, base);
    if (limit > begin) bytes += limit.value - begin.value;
  }
  return bytes;
}

std::uint64_t Chain::enter(Lsn begin) {
  if (begin == used_.back().header.end()) enter_next();
  return used_.back().header.generation;
}

void Chain::enter_next() {
  FJ_CHECK(!prepared_.empty(), "the next container was prepared when room was reserved");
  if (!used_.back().dirty) used_.back().file.reset();
  used_.push_back(std::move(prepared_.front()));
  prepared_.pop_front();
}

bool Chain::is_in_one(Lsn begin, std::uint64_t bytes) const {
  Lsn const end = used_.back().header.end();
  Lsn const container_end = begin == end ? prepared_.front().header.end() : end;
  return begin.value + bytes <= container_end.value;
}

Status Chain::write(Lsn at, std::span<std::byte const> bytes, How how) {
  while (!bytes.empty()) {
    if (at == used_.back().header.end()) enter_next();
    Container& container = used_.back();
    std::size_t const part = std::min<std::uint64_t>(bytes.size(), container.header.end().value - at.value);
    std::uint64_t const offset = offset_in(container.header, at);
    Status status;
    if (how == How::through) {
      status = container.file->write_through(offset, bytes.first(part));
    } else {
      container.dirty = how == How::to_kernel || container.dirty;
      status = container.file->write(offset, bytes.first(part));
    }
    if (!status.ok()) return status;
    bytes = bytes.subspan(part);
    at.value += part;
  }
  return {};
}

void Chain::keep_until(Lsn begin, Lsn end) {
  for (auto container = used_.rbegin(); container != used_.rend() && container->header.end() > begin; ++container)
    container->live_until = end;
}

std::vector<std::shared_ptr<env::File>> Chain::take_unsynced(Lsn durable) {
  std::vector<std::shared_ptr<env::File>> files;
  // Writes are in the last containers, not only in the current one: an earlier batch may have been written and not
  // synced.
  for (auto container = used_.rbegin(); container != used_.rend() && container->header.end() > durable; ++container) {
    if (!container->dirty) continue;
    files.push_back(container->file);
    container->dirty = false;
  }
  return files;
}

void Chain::close_synced(Lsn durable) {
  // Only the last one is written.
  for (auto container = used_.rbegin(); container != used_.rend() && container->header.end() > durable; ++container)
    if (!container->dirty && container != used_.rbegin()) container->file.reset();
}

Status Chain::look() const {
  for (Containers const* containers : {&used_, &prepared_})
    for (Container const& container : *containers)
      if (container.file != nullptr)
        if (Status status = container.file->look(); !status.ok()) return status;
  return {};
}

std::optional<Container> Chain::take_oldest_below(Lsn base) {
  if (used_.size() <= 1 || used_.front().live_until > base) return std::nullopt;
  Container container = std::move(used_.front());
  container.file.reset();
  used_.pop_front();
  return container;
}

}  // namespace fastjournal::log::file
