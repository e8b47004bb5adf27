#include "log/file/opening.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fastjournal::log::file {

namespace {

// Smaller segments would be mostly padding.
constexpr std::uint64_t kBatchBytesLeast = 64U << 10U;
// In the lock, for a start that finds no segment.
constexpr std::string_view kStoreNote = "store ";

Status check_options(LogOptions const& options) {
  auto const wrong = [&](std::string text) {
    return Status{Code::bad_configuration, fmt::format("log {}: {}", options.name, text)};
  };
  if (!std::has_single_bit(options.block_bytes) || options.block_bytes < kBlockBytesMin ||
      options.block_bytes > kBlockBytesMax)
    return wrong(fmt::format("block size {}: a power of two from {} to {} is expected", options.block_bytes,
                             kBlockBytesMin, kBlockBytesMax));
  if (options.segment_bytes < options.segment_bytes_min || options.segment_bytes < 4 * options.block_bytes)
    return wrong(
        fmt::format("container-size {}: at least {} is expected", options.segment_bytes, options.segment_bytes_min));
  if (options.segment_bytes > kSegmentBytesMax)
    return wrong(fmt::format("container-size {}: at most {} is expected", options.segment_bytes, kSegmentBytesMax));
  if (options.initial_segments < 2) return wrong("initial-containers: at least 2 is expected");
  if (options.batch_bytes_max > kBatchBytesMax) return wrong(fmt::format("more than {} bytes a batch", kBatchBytesMax));
  return {};
}

// One opening. What it collects is in `out_`.
class Opening {
 public:
  Opening(env::Disk& disk, std::string const& folder, LogOptions options) : disk_(disk), folder_(folder) {
    out_.options = std::move(options);
  }

  Status run(RecordHandler& handler, RecoveryReport& report);
  OpenedLog take() { return std::move(out_); }

 private:
  Status make_folder();
  [[nodiscard]] Status check_known(LogReader& reader) const;
  Status remove_unfinished();
  Status prove(LogReader& reader);
  void adopt(LogReader& reader, RecoveryReport const& report);
  Status open_newest(LogReader const& reader, Lsn end);

  env::Disk& disk_;
  std::string const& folder_;
  OpenedLog out_;
};

Status Opening::run(RecordHandler& handler, RecoveryReport& report) {
  LogOptions& options = out_.options;
  if (Status status = check_options(options); !status.ok()) return status;
  options.segment_bytes = round_up(options.segment_bytes, options.block_bytes);
  if (Status status = make_folder(); !status.ok()) return status;
  auto lock = disk_.lock_folder(folder_);
  if (!lock.ok()) return lock.status();
  out_.lock = std::move(lock).value();

  auto opened = LogReader::open(disk_, folder_);
  if (!opened.ok()) return opened.status();
  LogReader& reader = opened.value();
  if (Status status = check_known(reader); !status.ok()) return status;
  if (Status status = reader.read(handler, report, options.workers); !status.ok()) return status;

  if (Status status = handler.on_read(); !status.ok()) return status;
  if (Status status = remove_unfinished(); !status.ok()) return status;
  if (Status status = prove(reader); !status.ok()) return status;
  adopt(reader, report);
  options.workers = nullptr;
  options.batch_bytes_max = std::min(options.batch_bytes_max, std::max(kBatchBytesLeast, options.segment_bytes / 8));
  return open_newest(reader, report.end);
}

Status Opening::make_folder() {
  if (Status status = disk_.make_folder(folder_); !status.ok()) return status;
  // Syncs the names of the folder and of those above it.
  for (std::string at = folder_; !at.empty();) {
    std::size_t const slash = at.rfind('/');
    at = slash == std::string::npos ? std::string{} : at.substr(0, slash);
    if (Status status = disk_.sync_folder(at); !status.ok()) return status;
  }
  return {};
}

Status Opening::remove_unfinished() {
  auto const names = disk_.list(folder_);
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value())
    if (is_unfinished_segment(name) || is_unfinished_newest(name))
      if (Status status = disk_.remove(join_path(folder_, name)); !status.ok()) return status;
  // Names that an earlier start may not have synced.
  return disk_.sync_folder(folder_);
}

// No segment: a first start, or all were removed and only the lock is left.
Status Opening::check_known(LogReader& reader) const {
  if (!reader.segments().empty() || reader.newest().is_there) return {};
  std::string_view const note = out_.lock->note();
  std::size_t const store = note.rfind(kStoreNote);
  if (store == std::string_view::npos) return {};
  std::string_view const id = note.substr(store + kStoreNote.size());
  return {
      Code::damaged,
      fmt::format("log {}: its folder has no segment and no file {}, but its lock knows store {}: they were "
                  "removed, or another disk is mounted there; nothing was made. Put them back, or restore a backup. "
                  "To begin with an empty log all the same, remove the file `lock` of that folder first",
                  out_.options.name, kNewestName, id.substr(0, id.find('\n')))};
}

// The batches may be in the kernel's memory only: after kill -9, or after a failed sync, when the kernel takes the
// pages for clean. So the same bytes are written again and synced, in whole blocks, so that no valid block can be torn.
Status Opening::prove(LogReader& reader) {
  std::vector<std::byte> bytes;
  for (FoundSegment* segment : reader.chain()) {
    SegmentHeader const& header = segment->header;
    std::unique_ptr<env::File> file;
    for (LogReader::Range const& range : reader.unproved()) {
      Lsn const begin = std::max(range.begin, header.first);
      Lsn const end = std::min(range.end, header.end());
      if (begin >= end) continue;
      if (file == nullptr) {
        auto opened = disk_.open(segment->path, env::OpenMode::read_write);
        if (!opened.ok()) return opened.status();
        file = std::move(opened.value());
      }
      bytes.resize(end.value - begin.value);
      std::uint64_t const offset = offset_in(header, begin);
      auto const got = file->read(offset, bytes);
      if (!got.ok()) return got.status();
      if (got.value() != bytes.size())
        return {Code::io_error, fmt::format("{}: the file ends too early", segment->path)};
      if (Status status = file->write(offset, bytes); !status.ok()) return status;
    }
    if (file != nullptr)
      if (Status status = file->sync(); !status.ok()) return status;
  }
  return {};
}

void Opening::adopt(LogReader& reader, RecoveryReport const& report) {
  LogOptions& options = out_.options;
  AdoptedSegments& out = out_.found;
  out.store_id = options.store_id_seed;
  out.start = options.starts_before;
  if (reader.newest().is_there) out.store_id = reader.newest().what.store_id;
  Lsn next = options.first_lsn;
  for (FoundSegment& found : reader.segments()) {
    SegmentHeader const& header = found.header;
    out.store_id = header.store_id;
    options.segment_bytes = header.size;
    options.block_bytes = header.block;
    out.index = std::max(out.index, header.index);
    out.generation = std::max(out.generation, header.generation);
    out.start = std::max(out.start, header.start);
    out.base_on_disk = std::max(out.base_on_disk, header.base);
    if (header.generation > 0) next = std::max(next, header.end());
  }
  out_.next = Lsn{round_up(next.value, options.block_bytes)};

  std::vector<FoundSegment*> kept;
  for (FoundSegment* segment : reader.chain())
    if (!reader.is_empty() && (!kept.empty() || segment->live_until > report.base)) kept.push_back(segment);
  while (!kept.empty() && kept.back()->live_until <= report.base) kept.pop_back();
  // A segment between them with only a marker is needed too, as the header of the next one names it.
  for (std::size_t i = 0; i + 1 < kept.size(); ++i)
    kept[i]->live_until = std::max(kept[i]->live_until, kept[i + 1]->header.cut);
  for (FoundSegment& found : reader.segments()) {
    if (std::find(kept.begin(), kept.end(), &found) != kept.end()) continue;
    out.free.push_back({.header = found.header,
                        .live_until = found.live_until,
                        .stale_copy = found.stale_copy,
                        .clean = found.header.generation == 0});
  }
  for (FoundSegment const* found : kept)
    out.chain.push_back({.header = found->header, .live_until = found->live_until});
}

// Before the header of a segment refers to it.
Status Opening::open_newest(LogReader const& reader, Lsn end) {
  AdoptedSegments& out = out_.found;
  FoundNewest const& found = reader.newest();
  Newest now{out.store_id, found.what.generation, std::max(found.what.durable, end), out.start};
  if (!found.is_there) now.generation = out.generation;
  ++out.start;
  auto opened = NewestFile::open(disk_, folder_, found, now, out.start);
  if (!opened.ok()) return opened.status();
  out_.newest = std::move(opened).value();
  return {};
}

}  // namespace

Result<OpenedLog> open_for_writing(env::Disk& disk, std::string const& folder, LogOptions options,
                                   RecordHandler& handler, RecoveryReport& report) {
  Opening opening{disk, folder, std::move(options)};
  if (Status status = opening.run(handler, report); !status.ok()) return status;
  return opening.take();
}

Status remember_store(env::FolderLock& lock, std::uint64_t store_id) {
  std::string const line = fmt::format("{}{:016x}", kStoreNote, store_id);
  return lock.note().ends_with(line + "\n") ? Status{} : lock.add_note(line);
}

}  // namespace fastjournal::log::file
