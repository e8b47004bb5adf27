#include "log/file/chain.h"

#include <algorithm>
#include <iterator>

#include "log/file/segment_run.h"

namespace fastjournal::log::file {

void Chain::append(Segment segment) {
  FJ_CHECK(prepared_.empty(), "prepared segments follow the current one");
  if (!used_.empty()) used_.back().file.reset();
  used_.push_back(std::move(segment));
}

Chain::Segments Chain::take_prepared() {
  for (Segment& segment : prepared_) segment.file.reset();
  return std::exchange(prepared_, {});
}

Lsn Chain::limit_of(Segments::const_iterator segment) const {
  // The header of the next segment has the end of one that a start left half full.
  auto const next = std::next(segment);
  return next == used_.end() ? segment->header.end() : std::min(segment->header.end(), next->header.cut);
}

bool Chain::has_generation(std::uint64_t generation) const {
  return std::any_of(used_.begin(), used_.end(),
                     [generation](Segment const& one) { return one.header.generation == generation; });
}

std::uint64_t Chain::bytes_between(Lsn base, Lsn end) const {
  std::uint64_t bytes = 0;
  for (auto segment = used_.begin(); segment != used_.end(); ++segment) {
    Lsn const limit = std::min(limit_of(segment), end);
    Lsn const begin = std::max(segment->header.first, base);
    if (limit > begin) bytes += limit.value - begin.value;
  }
  return bytes;
}

std::uint64_t Chain::enter(Lsn begin) {
  if (begin == used_.back().header.end()) enter_next();
  return used_.back().header.generation;
}

void Chain::enter_next() {
  FJ_CHECK(!prepared_.empty(), "the next segment was prepared when room was reserved");
  if (!used_.back().dirty) used_.back().file.reset();
  used_.push_back(std::move(prepared_.front()));
  prepared_.pop_front();
}

bool Chain::is_in_one(Lsn begin, std::uint64_t bytes) const {
  Lsn const end = used_.back().header.end();
  Lsn const segment_end = begin == end ? prepared_.front().header.end() : end;
  return begin.value + bytes <= segment_end.value;
}

Status Chain::write(Lsn at, std::span<std::byte const> bytes, How how) {
  while (!bytes.empty()) {
    if (at == used_.back().header.end()) enter_next();
    Segment& segment = used_.back();
    std::size_t const part = std::min<std::uint64_t>(bytes.size(), segment.header.end().value - at.value);
    std::uint64_t const offset = offset_in(segment.header, at);
    Status status;
    if (how == How::through) {
      status = segment.file->write_through(offset, bytes.first(part));
    } else {
      segment.dirty = how == How::to_kernel || segment.dirty;
      status = segment.file->write(offset, bytes.first(part));
    }
    if (!status.ok()) return status;
    bytes = bytes.subspan(part);
    at.value += part;
  }
  return {};
}

void Chain::keep_until(Lsn begin, Lsn end) {
  for (auto segment = used_.rbegin(); segment != used_.rend() && segment->header.end() > begin; ++segment)
    segment->live_until = end;
}

std::vector<std::shared_ptr<env::File>> Chain::take_unsynced(Lsn durable) {
  std::vector<std::shared_ptr<env::File>> files;
  // Writes are in the last segments, not only in the current one: an earlier batch may have been written and not
  // synced.
  for (auto segment = used_.rbegin(); segment != used_.rend() && segment->header.end() > durable; ++segment) {
    if (!segment->dirty) continue;
    files.push_back(segment->file);
    segment->dirty = false;
  }
  return files;
}

void Chain::close_synced(Lsn durable) {
  // Only the last one is written.
  for (auto segment = used_.rbegin(); segment != used_.rend() && segment->header.end() > durable; ++segment)
    if (!segment->dirty && segment != used_.rbegin()) segment->file.reset();
}

Status Chain::look() const {
  for (Segments const* segments : {&used_, &prepared_})
    for (Segment const& segment : *segments)
      if (segment.file != nullptr)
        if (Status status = segment.file->look(); !status.ok()) return status;
  return {};
}

std::optional<Segment> Chain::take_oldest_below(Lsn base) {
  if (used_.size() <= 1 || used_.front().live_until > base) return std::nullopt;
  Segment segment = std::move(used_.front());
  segment.file.reset();
  used_.pop_front();
  return segment;
}

}  // namespace fastjournal::log::file
