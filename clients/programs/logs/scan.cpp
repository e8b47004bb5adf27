#include "clients/programs/logs/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "log/file/newest.h"
#include "log/file/segment.h"
#include "log/file/segment_run.h"

namespace fastjournal::tools {
namespace {

using log::file::BatchHeader;
using log::file::offset_in;
using log::file::SegmentHeader;

}  // namespace

// ---------------------------------------------------------------------------
// Segments

Result<Scan> Scan::open(env::Disk& disk, std::string folder) {
  Scan out(disk, std::move(folder));
  auto const names = disk.list(out.folder_);
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value())
    if (auto const index = log::file::index_of_segment(name))
      if (Status status = out.read_segment(name, *index); !status.ok()) return status;
  if (out.segments_.empty())
    return Status{Code::not_found, "no log here: a log's folder holds files container-000001 and so on"};
  if (Status status = out.agree(); !status.ok()) return status;
  out.look_at_newest();
  out.order();
  return out;
}

Status Scan::read_segment(std::string const& name, std::uint32_t index) {
  ScannedSegment out;
  out.name = name;
  auto file = disk_->open(log::file::join_path(folder_, name), env::OpenMode::read_only);
  if (!file.ok()) return file.status();
  out.file = std::move(file.value());
  auto const size = out.file->size();
  if (!size.ok()) return size.status();
  out.file_bytes = size.value();
  auto const copies = log::file::read_header_copies(*out.file, index);
  if (!copies.ok()) return copies.status();
  auto const& [first, second] = copies.value();
  out.header = first;
  if (second && (!first || second->generation > first->generation)) out.header = second;
  if (!first || !second) out.problem = fmt::format("copy {} of the header cannot be read", first ? 2 : 1);
  if (!first && !second) out.problem = "neither copy of the header can be read";
  segments_.push_back(std::move(out));
  return {};
}

// Store, size and block are those of most segments; segments that differ belong to another log.
Status Scan::agree() {
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>, int> votes;
  for (ScannedSegment const& one : segments_)
    if (one.header) ++votes[{one.header->store_id, one.header->size, one.header->block}];
  if (votes.empty()) return {Code::damaged, "no header of any segment can be read: nothing tells what this log was"};
  auto const most =
      std::max_element(votes.begin(), votes.end(), [](auto const& a, auto const& b) { return a.second < b.second; });
  std::tie(store_id_, size_, block_) = most->first;
  for (ScannedSegment& one : segments_) {
    std::uint32_t const index = log::file::index_of_segment(one.name).value_or(0);
    if (one.header && (one.header->store_id != store_id_ || one.header->size != size_ || one.header->block != block_)) {
      one.problem = fmt::format("of another log: store {:016x}", one.header->store_id);
      one.header.reset();
    } else if (!one.header) {
      if (Status status = rebuild(one, index); !status.ok()) return status;
    }
    if (one.header && one.file_bytes != size_)
      one.problem = fmt::format("the file has {} bytes, its header says {}", one.file_bytes, size_);
    if (!one.header || one.header->generation == 0) continue;
    base_ = std::max(base_, one.header->base);
    durable_ = std::max(durable_, one.header->durable);
    start_ = std::max(start_, one.header->start);
    beyond_ = std::max(beyond_, one.header->end());
  }
  return {};
}

// The newest segments as recorded, in case they are missing. Unknown if that file cannot be read.
void Scan::look_at_newest() {
  auto const found = log::file::read_newest(*disk_, folder_);
  if (!found.ok() || !found->is_there || found->what.store_id != store_id_) return;
  std::uint64_t generation = 0;
  for (ScannedSegment const& one : segments_)
    if (one.header) generation = std::max(generation, one.header->generation);
  durable_ = std::max(durable_, found->what.durable);
  start_ = std::max(start_, found->what.start);
  generations_missing_ = found->what.generation - std::min(found->what.generation, generation);
  // A segment begins at the end of another one.
  beyond_ =
      Lsn{std::max(beyond_.value + generations_missing_ * (size_ - log::file::kHeaderBlocks * block_), durable_.value)};
}

// Every batch has its LSN and its generation: the newest generation in the file is the segment's.
Status Scan::rebuild(ScannedSegment& segment, std::uint32_t index) {
  std::uint64_t const begin = log::file::kHeaderBlocks * block_;
  std::vector<std::byte> bytes(size_);
  auto const got = segment.file->read(0, bytes);
  if (!got.ok()) return got.status();
  std::uint64_t generation = 0;
  Lsn first{};
  for (std::uint64_t at = begin; at + block_ <= got.value(); at += block_) {
    auto const seen = log::file::peek_batch(std::span(bytes).subspan(at), block_);
    if (!seen || seen->generation <= generation || at + seen->length > got.value() || seen->lsn.value < at - begin)
      continue;
    if (!log::file::is_intact(*seen, store_id_, std::span(bytes).subspan(at, seen->length))) continue;
    generation = seen->generation;
    first = Lsn{seen->lsn.value - (at - begin)};
  }
  if (generation == 0) return {};
  SegmentHeader header;
  header.index = index;
  header.store_id = store_id_;
  header.generation = generation;
  header.first = header.cut = first;
  header.size = size_;
  header.block = block_;
  segment.header = header;
  segment.rebuilt = true;
  segment.problem += "; rebuilt from its batches";
  return {};
}

// The segment before `after` in the stream, or a possible newest one; null: nothing before it is needed, or nothing
// is there.
ScannedSegment* Scan::before(ScannedSegment const& after) {
  SegmentHeader const& header = *after.header;
  bool const first_of_all = !after.rebuilt && (header.generation_before == 0 || header.cut <= base_);
  if (first_of_all || header.first <= base_) return nullptr;
  ScannedSegment* best = nullptr;
  for (ScannedSegment& one : segments_) {
    if (!one.header || one.header->generation == 0 || one.header->generation >= header.generation ||
        one.header->first >= header.first)
      continue;
    if (!after.rebuilt && one.header->generation > header.generation_before) continue;
    if (best == nullptr || one.header->generation > best->header->generation) best = &one;
  }
  return best;
}

void Scan::order() {
  ScannedSegment* tip = nullptr;
  for (ScannedSegment& one : segments_)
    if (one.header && one.header->generation != 0 &&
        (tip == nullptr || one.header->generation > tip->header->generation))
      tip = &one;
  for (; tip != nullptr; tip = before(*tip)) stream_.push_back(tip);
  std::reverse(stream_.begin(), stream_.end());
  for (std::size_t i = 0; i < stream_.size(); ++i) {
    ScannedSegment& one = *stream_[i];
    one.in_stream = true;
    one.limit = one.header->end();
    if (i + 1 == stream_.size()) continue;
    Lsn const cut = stream_[i + 1]->header->cut;
    if (cut > one.header->first && cut < one.limit) one.limit = cut;
  }
}

// Whether the next segment continues at the end of this one.
bool Scan::follows(std::size_t number) const {
  if (number + 1 >= stream_.size()) return false;
  SegmentHeader const& next = *stream_[number + 1]->header;
  return next.first == stream_[number]->header->end() && next.cut == next.first;
}

// ---------------------------------------------------------------------------
// Batches

// False: the stream ends earlier.
Result<bool> Scan::read_stream(std::size_t number, Lsn lsn, std::span<std::byte> into) {
  for (;; ++number) {
    SegmentHeader const& header = *stream_[number]->header;
    std::size_t const part = std::min<std::uint64_t>(into.size(), header.end().value - lsn.value);
    auto const got = stream_[number]->file->read(offset_in(header, lsn), into.first(part));
    if (!got.ok()) return got.status();
    if (got.value() != part) return false;
    into = into.subspan(part);
    lsn.value += part;
    if (into.empty()) return true;
    if (!follows(number)) return false;
  }
}

Result<Scan::Found> Scan::batch_at(std::size_t number, Lsn lsn) {
  Found found;
  SegmentHeader const& segment = *stream_[number]->header;
  if (batch_.size() < block_) batch_.resize(block_);
  Result<bool> there = read_stream(number, lsn, std::span(batch_).first(block_));
  if (!there.ok()) return there.status();
  if (!there.value()) return found;
  auto const header = log::file::decode_batch(std::span(batch_).first(block_), lsn, segment.generation, block_);
  if (!header) return found;
  found.plausible = true;
  found.header = *header;
  if (header->end() > stream_[number]->limit && !(follows(number) && stream_[number]->limit == segment.end()))
    return found;
  if (batch_.size() < header->length) batch_.resize(header->length);
  there = read_stream(number, lsn, std::span(batch_).first(header->length));
  if (!there.ok()) return there.status();
  found.intact = there.value() && log::file::is_intact(*header, store_id_, std::span(batch_).first(header->length));
  return found;
}

void Scan::tell_place(std::size_t number, Lsn at) const {
  if (progress_ == nullptr || !*progress_) return;
  SegmentHeader const& segment = *stream_[number]->header;
  (*progress_)(step_, number * segment.payload_bytes() + (at.value - segment.first.value),
               stream_.size() * segment.payload_bytes());
}

Status Scan::walk_segment(std::size_t number, Lsn& from, ScanVisitor& visitor) {
  ScannedSegment const& one = *stream_[number];
  SegmentHeader const& segment = *one.header;
  Lsn at = std::max(from, segment.first);
  Lsn gap_at = at;
  bool plausible = false;
  auto const end_gap = [&](Lsn end, bool batch_behind) {
    if (gap_at >= end || !know_durable_) return;
    Gap gap{one.name, offset_in(segment, gap_at), gap_at, end, false, {}};
    // Data below base is not needed; the segment may begin with the rest of a batch that is gone.
    gap.damage = end > base_ && gap_at < durable_;
    gap.reason = gap.damage                  ? "no sound batch here, and what stood here was durable"
                 : end <= base_              ? "nothing that is needed"
                 : plausible || batch_behind ? "a torn tail: a batch that was never synced"
                                             : "not written yet";
    visitor.on_gap(gap);
  };
  while (at < one.limit) {
    auto const found = batch_at(number, at);
    if (!found.ok()) return found.status();
    if (!found->intact) {
      plausible = plausible || found->plausible;
      at.value += block_;
      continue;
    }
    end_gap(at, true);
    BatchHeader const& header = found->header;
    durable_ = std::max(durable_, header.durable);
    if (Status status = visitor.on_batch(one, offset_in(segment, at), header,
                                         std::span<std::byte const>(batch_).first(header.length));
        !status.ok())
      return status;
    at = gap_at = header.end();
    plausible = false;
    tell_place(number, at);
  }
  end_gap(one.limit, false);
  from = std::max(at, one.limit);
  return {};
}

Status Scan::walk(ScanVisitor& visitor) {
  Lsn from{};
  for (std::size_t i = 0; i < stream_.size(); ++i) {
    ScannedSegment const& one = *stream_[i];
    visitor.on_segment(one);
    SegmentHeader const& header = *one.header;
    bool const before_is_missing =
        i == 0 ? !one.rebuilt && header.generation_before != 0 && header.cut > base_ && header.first > base_
               : !one.rebuilt && header.generation_before != stream_[i - 1]->header->generation;
    if (before_is_missing && know_durable_)
      visitor.on_gap({{},
                      0,
                      i == 0 ? base_ : stream_[i - 1]->header->end(),
                      header.cut,
                      true,
                      fmt::format("the segment of generation {}, which stood before {}, is lost",
                                  header.generation_before, one.name)});
    if (Status status = walk_segment(i, from, visitor); !status.ok()) return status;
  }
  if (generations_missing_ > 0 && know_durable_)
    visitor.on_gap(
        {{},
         0,
         from,
         std::max(from, durable_),
         true,
         fmt::format("{} newer segments are lost, as {} says", generations_missing_, log::file::kNewestName)});
  know_durable_ = true;
  return {};
}

}  // namespace fastjournal::tools
