#include "clients/programs/logs/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "log/file/log_reader.h"
#include "log/file/newest.h"
#include "log/file/segment.h"

namespace fastjournal::tools {
namespace {

using log::file::SegmentHeader;

constexpr std::uint64_t kPieceBytes = 1U << 20U;
// While the daemon writes a header, one of its two copies is complete at any moment; but a reader may read each of them
// at the wrong moment. So it reads again.
constexpr int kHeaderLooks = 8;

// Finds the end of the copy's batches.
class LastBatch final : public log::file::RecordHandler {
 public:
  LastBatch(Progress const& progress, std::uint64_t total) : progress_(progress), total_(total) {}
  Status on_record(RecordView const&, Lsn) override {
    ++records;
    return {};
  }
  void on_batch(log::file::BatchView const& batch) override {
    end = batch.header.end();
    done_ += batch.header.length;
    if (progress_) progress_("reading the copy", done_, total_);
  }

  Lsn end{};
  std::uint64_t records{0};

 private:
  Progress const& progress_;
  std::uint64_t done_{0};
  std::uint64_t total_;
};

class Copier {
 public:
  Copier(env::Disk& from, std::string const& from_folder, env::Disk& to, std::string const& to_folder,
         log::LogSnapshot const& snapshot, Pace const& pace, Progress const& progress)
      : from_(from),
        from_folder_(from_folder),
        to_(to),
        to_folder_(to_folder),
        snapshot_(snapshot),
        pace_(pace),
        progress_(progress),
        piece_(kPieceBytes) {}

  Status run() {
    if (auto const there = to_.list(to_folder_); there.ok())
      return {Code::in_use, to_folder_ + " is there already: a copy wants a new folder"};
    if (Status status = to_.make_folder(to_folder_); !status.ok()) return status;
    // First, because a first segment without this file means an interrupted copy.
    log::file::Newest const none{.store_id = snapshot_.store_id};
    if (Status status = log::file::make_newest(to_, to_folder_, none); !status.ok()) return status;
    for (std::size_t i = 0; i < snapshot_.segments.size(); ++i)
      if (Status status = copy(snapshot_.segments[i], i + 1 == snapshot_.segments.size()); !status.ok()) return status;
    if (Status status = to_.sync_folder(to_folder_); !status.ok()) return status;
    if (Status status = log::file::make_newest(to_, to_folder_, newest_); !status.ok()) return status;
    return check();
  }

  Copied copied;

 private:
  Result<SegmentHeader> header_of(env::File& file, std::uint32_t index, std::string const& path) {
    for (int look = 0; look < kHeaderLooks; ++look) {
      auto const copies = log::file::read_header_copies(file, index);
      if (!copies.ok()) return copies.status();
      if (copies->first) return *copies->first;
      if (copies->second) return *copies->second;
    }
    return Status{Code::damaged, path + " offset 0: neither copy of the segment's header can be read"};
  }

  Status copy(std::uint32_t index, bool last) {
    std::string const name = log::file::segment_name(index);
    std::string const path = log::file::join_path(from_folder_, name);
    auto source = from_.open(path, env::OpenMode::read_only);
    if (!source.ok()) return source.status();
    Result<SegmentHeader> found = header_of(*source.value(), index, path);
    if (!found.ok()) return found.status();
    SegmentHeader header = found.value();
    if (header.store_id != snapshot_.store_id)
      return {Code::damaged, path + ": is of another log than the one that is held"};
    newest_.store_id = header.store_id;
    newest_.generation = std::max(newest_.generation, header.generation);
    newest_.start = std::max(newest_.start, header.start);
    newest_.durable = snapshot_.end;
    // Later changes by the daemon are not part of the copy.
    header.base = last ? snapshot_.base : std::min(header.base, snapshot_.base);
    header.durable = last ? snapshot_.end : std::min(header.durable, snapshot_.end);
    // The position of the catalogue belongs to another durable LSN.
    header.catalogue = header.described = kNoLsn;
    auto target = to_.open(log::file::join_path(to_folder_, name), env::OpenMode::create_new);
    if (!target.ok()) return target.status();
    if (Status status = write_headers(*target.value(), header); !status.ok()) return status;
    total_ = snapshot_.segments.size() * header.size;
    if (Status status = copy_payload(*source.value(), *target.value(), header, path); !status.ok()) return status;
    copied.bytes += header.size;
    return target.value()->sync();
  }

  Status write_headers(env::File& target, SegmentHeader const& header) {
    std::vector<std::byte> block(header.block);
    log::file::encode(header, block);
    for (std::uint64_t copy = 0; copy < log::file::kHeaderBlocks; ++copy)
      if (Status status = target.write(copy * header.block, block); !status.ok()) return status;
    return {};
  }

  // Bytes after the moment of the pin become zeros, written like a segment's payload.
  Status copy_payload(env::File& source, env::File& target, SegmentHeader const& header, std::string const& path) {
    std::uint64_t const begin = log::file::kHeaderBlocks * header.block;
    std::uint64_t const used = snapshot_.end > header.first ? snapshot_.end.value - header.first.value : 0;
    std::uint64_t const end = begin + std::min(used, header.payload_bytes());
    for (std::uint64_t at = begin; at < header.size;) {
      bool const is_data = at < end;
      auto const bytes = static_cast<std::size_t>(std::min(kPieceBytes, (is_data ? end : header.size) - at));
      std::span<std::byte> const piece = std::span(piece_).first(bytes);
      if (is_data) {
        auto const got = source.read(at, piece);
        if (!got.ok()) return got.status();
        if (got.value() != bytes) return {Code::damaged, fmt::format("{}: the file ends too early", path)};
      } else {
        std::fill(piece.begin(), piece.end(), std::byte{0});
      }
      if (Status status = target.write(at, piece); !status.ok()) return status;
      at += bytes;
      pace_(bytes);
      if (progress_) progress_("copying", copied.bytes + at, total_);
    }
    return {};
  }

  Status check() {
    auto opened = log::file::LogReader::open(to_, to_folder_);
    if (!opened.ok()) return opened.status();
    LastBatch last{progress_, copied.bytes};
    log::file::RecoveryReport report;
    if (Status status = opened->read(last, report); !status.ok()) return status;
    Lsn const front = opened->chain().empty() ? Lsn{} : opened->chain().back()->header.first;
    if (last.end != snapshot_.end && front != snapshot_.end)
      return {Code::damaged, fmt::format("the copy ends at LSN {}, not at {}", last.end.value, snapshot_.end.value)};
    copied.records = last.records;
    return {};
  }

  env::Disk& from_;
  std::string const& from_folder_;
  env::Disk& to_;
  std::string const& to_folder_;
  log::LogSnapshot const& snapshot_;
  Pace const& pace_;
  Progress const& progress_;
  std::uint64_t total_{0};
  log::file::Newest newest_;
  std::vector<std::byte> piece_;
};

}  // namespace

Result<Copied> copy_log(env::Disk& from, std::string const& from_folder, env::Disk& to, std::string const& to_folder,
                        log::LogSnapshot const& snapshot, Pace const& pace, Progress const& progress) {
  Copier copier{from, from_folder, to, to_folder, snapshot, pace, progress};
  if (Status status = copier.run(); !status.ok()) return status;
  return copier.copied;
}

}  // namespace fastjournal::tools
