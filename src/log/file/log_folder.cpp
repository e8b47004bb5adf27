#include "log/file/log_folder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "log/file/segment.h"

namespace fastjournal::log::file {

Result<LogFolder> LogFolder::open(env::Disk& disk, std::string folder) {
  LogFolder out(disk, std::move(folder));
  auto names = disk.list(out.folder_);
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value())
    if (auto const index = index_of_segment(name))
      if (Status status = out.read_headers(name, *index); !status.ok()) return status;
  if (Status status = out.check_alike(); !status.ok()) return status;
  auto newest = read_newest(disk, out.folder_);
  if (!newest.ok()) return newest.status();
  out.newest_ = std::move(newest).value();
  if (Status status = out.check_newest(); !status.ok()) return status;
  for (std::string const& note : out.newest_.notes) out.notes_.push_back(note);
  return out;
}

Status LogFolder::read_headers(std::string const& name, std::uint32_t index) {
  FoundSegment segment;
  segment.path = join_path(folder_, name);
  auto file = disk_->open(segment.path, env::OpenMode::read_only);
  if (!file.ok()) return file.status();
  segment.file = std::move(file.value());
  auto const size = segment.file->size();
  if (!size.ok()) return size.status();
  auto const copies = read_header_copies(*segment.file, index);
  if (!copies.ok()) return copies.status();
  auto const& [first, second] = copies.value();
  bytes_read_ += std::min<std::uint64_t>(size.value(), kHeaderBytesRead);
  if (!first && !second)
    return damaged(fmt::format("{} offset 0: neither copy of the segment's header can be read; nothing was changed",
                               segment.path));
  bool const take_second = !first || (second && second->generation > first->generation);
  segment.header = take_second ? *second : *first;
  segment.stale_copy = take_second ? 0 : 1;
  if (!first || !second)
    notes_.push_back(
        fmt::format("{}: copy {} of the header cannot be read, the other was used", segment.path, first ? 2 : 1));
  if (segment.header.size != size.value())
    return damaged(fmt::format("{}: the file has {} bytes, its header says {}; nothing was changed", segment.path,
                               size.value(), segment.header.size));
  segments_.push_back(std::move(segment));
  return {};
}

Status LogFolder::check_alike() const {
  for (FoundSegment const& segment : segments_) {
    SegmentHeader const& a = segments_.front().header;
    SegmentHeader const& b = segment.header;
    if (a.store_id != b.store_id || a.size != b.size || a.block != b.block)
      return damaged(fmt::format("{} does not belong to the log of {}: store {:016x}, not {:016x}; nothing was changed",
                                 segment.path, segments_.front().path, b.store_id, a.store_id));
  }
  return {};
}

// There is no other trace of a removed segment, or of an old copy.
Status LogFolder::check_newest() const {
  std::string const file = join_path(folder_, std::string{kNewestName});
  FoundSegment const* tip = nullptr;
  for (FoundSegment const& segment : segments_) {
    if (tip == nullptr || segment.header.generation > tip->header.generation) tip = &segment;
    if (segment.header.version >= kFormatWithNewest && !newest_.is_there)
      return damaged(
          fmt::format("{} is missing, and {} is of a log that has it: newer segments may be missing with "
                      "it; nothing was changed. Put the file back, or restore a backup, or salvage what is "
                      "left",
                      file, segment.path));
  }
  if (!newest_.is_there) return {};
  if (tip != nullptr && tip->header.store_id != newest_.what.store_id)
    return damaged(fmt::format("{} does not belong to the log of {}: store {:016x}, not {:016x}; nothing was changed",
                               file, tip->path, newest_.what.store_id, tip->header.store_id));
  std::uint64_t const generation = tip == nullptr ? 0 : tip->header.generation;
  if (newest_.what.generation <= generation) return {};
  return damaged(
      fmt::format("{} says that there is a segment of generation {}, but the newest that is here is {}: "
                  "one or more are missing, or are old copies; nothing was changed. Put them back, or "
                  "restore a backup, or salvage what is left",
                  file, newest_.what.generation,
                  tip == nullptr ? std::string{"none"} : fmt::format("{} of generation {}", tip->path, generation)));
}

// ---------------------------------------------------------------------------
// Order

Status LogFolder::order() {
  FoundSegment* tip = nullptr;
  for (FoundSegment& segment : segments_) {
    SegmentHeader const& header = segment.header;
    if (header.generation == 0) continue;
    if (tip != nullptr && tip->header.generation == header.generation)
      return damaged(fmt::format("{} and {} both claim generation {}; nothing was changed", tip->path, segment.path,
                                 header.generation));
    if (tip == nullptr || header.generation > tip->header.generation) tip = &segment;
    base_ = std::max(base_, header.base);
    durable_ = std::max(durable_, header.durable);
  }
  durable_ = std::max(durable_, newest_.what.durable);
  if (tip == nullptr) return {};
  chain_.push_back(tip);
  // Generations decrease with every step, so this ends whatever the headers contain. A base in the gap after a cut needs
  // no bytes before it: that segment may have been freed.
  while (chain_.back()->header.cut > base_ && chain_.back()->header.generation_before != 0) {
    FoundSegment const& after = *chain_.back();
    auto const found = std::find_if(segments_.begin(), segments_.end(), [&](FoundSegment const& c) {
      return c.header.generation == after.header.generation_before;
    });
    if (found == segments_.end() || found->header.generation >= after.header.generation)
      return damaged(
          fmt::format("the segment of generation {}, which precedes {} and is needed from LSN {}, is missing; "
                      "nothing was changed",
                      after.header.generation_before, after.path, base_.value));
    chain_.push_back(&*found);
  }
  std::reverse(chain_.begin(), chain_.end());
  return make_runs();
}

Status LogFolder::make_runs() {
  for (FoundSegment* segment : chain_) {
    SegmentHeader const& header = segment->header;
    SegmentRun* run = runs_.empty() ? nullptr : &runs_.back();
    SegmentHeader const* before = run == nullptr ? nullptr : &run->segments.back()->header;
    // A start cuts the stream, and so does a log that became empty (LogWriter::reset).
    bool const follows = before != nullptr && before->start == header.start && header.cut == header.first;
    bool const fits = before == nullptr || (follows ? header.first == before->end()
                                                    : header.cut > before->first && header.cut <= before->end() &&
                                                          header.first >= before->end());
    if (!fits)
      return damaged(fmt::format("{} offset 0: the header does not fit the segment before it; nothing was changed",
                                 segment->path));
    if (!follows) {
      if (run != nullptr) run->limit = header.cut;
      runs_.emplace_back();
    }
    runs_.back().segments.push_back(segment);
    runs_.back().limit = header.end();
  }
  runs_.back().last = true;
  // A base in the gap after a cut: nothing of that run is needed.
  while (runs_.size() > 1 && base_ >= runs_.front().limit) runs_.erase(runs_.begin());
  return {};
}

}  // namespace fastjournal::log::file
