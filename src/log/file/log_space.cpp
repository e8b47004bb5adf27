#include "log/file/log_space.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::log::file {

LogSpace::LogSpace(env::Disk& disk, std::string const& folder, LogOptions const& options, AdoptedSegments found,
                   NewestFile& newest, BaseMark const& base, DurableMarks& durable)
    : disk_(disk),
      folder_(folder),
      options_(options),
      newest_(newest),
      base_(base),
      durable_(durable),
      start_(found.start),
      generation_(found.generation),
      base_on_disk_(found.base_on_disk),
      spares_(disk, folder, options, found.store_id, found.index, std::move(found.free)),
      policy_(options.initial_segments, options.when_empty, options.segment_bytes) {
  for (Segment& segment : found.chain) chain_.append(std::move(segment));
}

// ---------------------------------------------------------------------------
// Headers

Segment LogSpace::take_spare(Lsn first, Lsn cut) {
  Segment segment = spares_.take();
  SegmentHeader& header = segment.header;
  header.generation = ++generation_;
  header.generation_before = chain_.is_empty() ? 0 : chain_.last().header.generation;
  header.first = first;
  header.cut = cut;
  header.start = start_;
  tell(header);
  segment.live_until = kNoLsn;
  return segment;
}

void LogSpace::tell(SegmentHeader& header) const {
  header.base = base_for_header();
  header.durable = durable_.durable();
  header.catalogue = base_.in_effect().catalogue;
  header.described = base_.described();
}

Lsn LogSpace::base_for_header() const {
  Lsn const base = base_.in_effect().lsn;
  if (chain_.is_empty()) return base;
  return std::min(base, Lsn{chain_.oldest().header.end().value - options_.block_bytes});
}

Status LogSpace::write_header(Segment& segment) {
  SegmentHeader const& header = segment.header;
  if (segment.file == nullptr) {
    auto file = disk_.open(join_path(folder_, segment_name(header.index)), env::OpenMode::read_write);
    if (!file.ok()) return file.status();
    segment.file = std::move(file).value();
  }
  if (Status status = log::file::write_header(*segment.file, header, segment.stale_copy); !status.ok()) return status;
  if (Status status = newest_.tell_generation(header.generation, durable_.data_durable()); !status.ok()) return status;
  segment.stale_copy = 0;
  base_on_disk_ = std::max(base_on_disk_, header.base);
  durable_.told(header.durable);
  return {};
}

Status LogSpace::put_base_on_disk() {
  // The current segment may have it too: its header has two copies, one of which is always whole.
  Segment& segment = chain_.last();
  tell(segment.header);
  return write_header(segment);
}

Status LogSpace::begin(Lsn first, Lsn read_end) {
  // After an interrupted first start the next one is a first start again.
  while (generation_ == 0 && spares_.count() < options_.initial_segments)
    if (Status status = spares_.extend(); !status.ok()) return status;
  if (spares_.count() == 0)
    if (Status status = spares_.extend(); !status.ok())
      return {status.code(), fmt::format("log {}: a start needs a segment, and none can be made: {}", options_.name,
                                         status.message())};
  Lsn const cut = chain_.is_empty() ? first : read_end;
  Segment segment = take_spare(first, cut);
  segment.header.durable = cut;
  if (Status status = write_header(segment); !status.ok()) return status;
  chain_.append(std::move(segment));
  return {};
}

Status LogSpace::leave(Lsn at, Lsn wish) {
  // Prepared segments follow the end of this one, which is never reached. Their generations stay unused.
  for (Segment& segment : chain_.take_prepared()) spares_.add(std::move(segment));
  Lsn const rounded{(wish.value + kBlockBytesMax - 1) / kBlockBytesMax * kBlockBytesMax};
  Segment segment = take_spare(std::max(chain_.current().header.end(), rounded), at);
  if (Status status = write_header(segment); !status.ok()) return status;
  chain_.append(std::move(segment));
  return {};
}

// ---------------------------------------------------------------------------
// Room

std::uint64_t LogSpace::needed_for(Lsn at, std::uint64_t bytes) const {
  SegmentHeader const& current = chain_.current().header;
  std::uint64_t const capacity = current.payload_bytes();
  std::uint64_t const left = current.end().value - at.value;
  return bytes <= left ? 0 : (bytes - left + capacity - 1) / capacity;
}

std::uint64_t LogSpace::room_bytes(Lsn at) const {
  SegmentHeader const& current = chain_.current().header;
  return current.end().value - at.value + spares() * current.payload_bytes();
}

Status LogSpace::find_room(Lsn at, std::uint64_t bytes, SpacePolicy::Kept kept) {
  std::uint64_t const coming = spares_.is_coming() ? 1 : 0;
  std::uint64_t const coming_bytes = coming * chain_.current().header.payload_bytes();
  std::uint64_t const segments = needed_for(at, bytes) + kept.segments - std::min<std::uint64_t>(coming, kept.segments);
  while (spares() < segments || room_bytes(at) + coming_bytes < bytes + kept.bytes) {
    Status const status = spares_.extend();
    if (status.ok()) continue;
    if (spares_.pinned() > 0) {
      spares_.give_up_pin();
      continue;
    }
    Code const code = status.code() == Code::not_allowed ? Code::not_allowed : Code::no_space;
    return {code, fmt::format("log {}: {} more bytes do not fit into {} segments, and no other can be made: {}",
                              options_.name, bytes, total(), status.message())};
  }
  return {};
}

Status LogSpace::prepare(Lsn at, std::uint64_t bytes) {
  for (std::uint64_t const needed = needed_for(at, bytes); chain_.prepared() < needed;) {
    Lsn const first = chain_.last().header.end();
    Segment segment = take_spare(first, first);
    if (Status status = write_header(segment); !status.ok()) return status;
    chain_.prepare(std::move(segment));
  }
  return {};
}

void LogSpace::free_below_base() {
  while (std::optional<Segment> segment = chain_.take_oldest_below(base_.in_effect().lsn)) {
    spares_.retire(std::move(*segment));
  }
}

void LogSpace::pin() {
  FJ_CHECK(!spares_.is_pinned(), "one pin at a time");
  spares_.pin(chain_.current().header.generation);
}

bool LogSpace::unpin() {
  bool const pinned = spares_.is_pinned();
  spares_.give_up_pin();
  return pinned;
}

log::LogUsage LogSpace::usage(Lsn at) const {
  log::LogUsage usage;
  std::uint32_t const wiped = spares_.is_wiping() ? 1 : 0;
  usage.segments = static_cast<std::uint32_t>(total()) + wiped;
  usage.segments_kept = policy_.allowed_in_use();
  usage.segments_free_most = policy_.spares_most(chain_.size());
  usage.segments_pinned = static_cast<std::uint32_t>(spares_.pinned());
  usage.segments_free = static_cast<std::uint32_t>(spares()) + wiped;
  usage.disk_bytes = usage.segments * options_.segment_bytes;
  usage.logical_bytes = chain_.bytes_between(base_.wanted().lsn, at);
  usage.left_bytes = chain_.current().header.end().value - at.value;
  usage.room_bytes = room_bytes(at);
  usage.is_short = usage.segments_free + (spares_.is_coming() ? 1U : 0U) < policy_.kept_back(chain_.size());
  if (chain_.size() > 1) usage.oldest_segment_end = chain_.oldest().live_until;
  return usage;
}

// ---------------------------------------------------------------------------
// Chores

bool LogSpace::is_below_base_on_disk(Segment const& segment) const { return segment.live_until <= base_on_disk_; }

Status LogSpace::raise_base_on_disk(Segment const& segment) {
  return is_below_base_on_disk(segment) ? Status{} : put_base_on_disk();
}

Result<std::unique_ptr<Chore>> LogSpace::take_chore(Lsn at) {
  if (is_chore_out()) return std::unique_ptr<Chore>{};
  spares_.count_call();
  SegmentHeader const& current = chain_.current().header;
  std::uint64_t const filled = at.value - current.first.value;
  if (spares() < policy_.spares_wanted(chain_.size(), filled, current.payload_bytes()))
    if (std::unique_ptr<Chore> chore = spares_.make()) return chore;
  // One at a time, and never the last one.
  Segment const* const unclean = options_.wipe && spares() >= SpacePolicy::kKeptBack ? spares_.next_to_wipe() : nullptr;
  if (unclean != nullptr) {
    if (Status status = raise_base_on_disk(*unclean); !status.ok()) return status;
    if (is_below_base_on_disk(*unclean)) return spares_.wipe();
  }
  bool const surplus =
      spares() > policy_.spares_kept(chain_.size(), filled, current.payload_bytes()) && total() > policy_.allowed();
  Segment const* const unneeded = surplus ? spares_.next_to_remove() : nullptr;
  if (unneeded == nullptr) return std::unique_ptr<Chore>{};
  if (Status status = raise_base_on_disk(*unneeded); !status.ok()) return status;
  return is_below_base_on_disk(*unneeded) ? spares_.remove() : std::unique_ptr<Chore>{};
}

}  // namespace fastjournal::log::file
