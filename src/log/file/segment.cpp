// Creating, wiping and removing segment files, and writing their headers.
#include "log/file/segment.h"

#include <algorithm>
#include <vector>

namespace fastjournal::log::file {

namespace {

constexpr std::uint64_t kZeroBytes = 256U << 10U;

Status fill(env::File& file, SegmentHeader const& header) {
  std::uint64_t const from = kHeaderBlocks * header.block;
  std::vector<std::byte> const zeros(std::min(kZeroBytes, header.size - from));
  for (std::uint64_t at = from; at < header.size; at += zeros.size()) {
    std::uint64_t const part = std::min<std::uint64_t>(zeros.size(), header.size - at);
    if (Status status = file.write(at, std::span(zeros).first(part)); !status.ok()) return status;
  }
  std::vector<std::byte> block(header.block);
  encode(header, block);
  for (std::uint64_t copy = 0; copy < kHeaderBlocks; ++copy)
    if (Status status = file.write(copy * header.block, block); !status.ok()) return status;
  return file.sync();
}

// The header copy at `offset`, if it is one of a segment with this number.
std::optional<SegmentHeader> copy_at(std::span<std::byte const> head, std::uint64_t offset, std::uint32_t index) {
  if (offset >= head.size()) return std::nullopt;
  auto header = decode_segment(head.subspan(offset));
  if (!header || header->index != index || (offset != 0 && header->block != offset)) return std::nullopt;
  return header;
}

}  // namespace

std::string join_path(std::string const& folder, std::string const& name) {
  return folder.empty() ? name : folder + "/" + name;
}

Status make_segment(env::Disk& disk, std::string const& folder, SegmentHeader const& header) {
  std::string const path = join_path(folder, segment_name_unfinished(header.index));
  Status status;
  {
    auto file = disk.open(path, env::OpenMode::create_new);
    if (!file.ok()) return file.status();
    status = fill(*file.value(), header);
  }
  if (status.ok()) status = disk.rename(path, join_path(folder, segment_name(header.index)));
  if (!status.ok()) {
    // Frees its space. If that fails too, the next start does it.
    static_cast<void>(disk.remove(path));
    return status;
  }
  // Folder too: a segment without its name is lost.
  return disk.sync_folder(folder);
}

Result<HeaderCopies> read_header_copies(env::File& file, std::uint32_t index) {
  std::vector<std::byte> head(kHeaderBytesRead);
  auto const got = file.read(0, head);
  if (!got.ok()) return got.status();
  head.resize(got.value());
  HeaderCopies out;
  out.first = copy_at(head, 0, index);
  // The second copy is at the second block, and only a header has the block size.
  for (std::uint64_t block = kBlockBytesMin; block <= kBlockBytesMax && !out.second; block *= 2)
    out.second = copy_at(head, block, index);
  return out;
}

Status wipe_segment(env::Disk& disk, std::string const& folder, SegmentHeader const& header) {
  auto opened = disk.open(join_path(folder, segment_name(header.index)), env::OpenMode::read_write);
  if (!opened.ok()) return opened.status();
  env::File& file = *opened.value();
  std::uint64_t const from = kHeaderBlocks * header.block;
  std::uint64_t const unit = std::min(kZeroBytes, header.payload_bytes());
  std::vector<std::byte> const zeros(unit);
  std::vector<std::byte> found(unit);
  for (std::uint64_t at = from; at < header.size; at += unit) {
    auto const part = static_cast<std::size_t>(std::min(unit, header.size - at));
    auto const got = file.read(at, std::span(found).first(part));
    if (!got.ok()) return got.status();
    if (got.value() == part &&
        std::equal(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(part), zeros.begin()))
      continue;
    if (Status status = file.write(at, std::span(zeros).first(part)); !status.ok()) return status;
  }
  return file.sync();
}

Status write_header(env::File& file, SegmentHeader const& header, std::uint8_t first_copy) {
  std::vector<std::byte> block(header.block);
  encode(header, block);
  for (std::uint64_t turn = 0; turn < kHeaderBlocks; ++turn) {
    std::uint64_t const copy = (first_copy + turn) % kHeaderBlocks;
    if (Status status = file.write(copy * header.block, block); !status.ok()) return status;
    if (Status status = file.sync(); !status.ok()) return status;
  }
  return {};
}

void Chore::run() {
  if (kind_ == Kind::make) {
    status_ = make_segment(disk_, folder_, header_);
    return;
  }
  if (kind_ == Kind::wipe || wipe_first_) status_ = wipe_segment(disk_, folder_, header_);
  is_fatal_ = !status_.ok();
  if (kind_ == Kind::wipe || is_fatal_) return;
  status_ = disk_.remove(join_path(folder_, segment_name(header_.index)));
  if (status_.ok()) status_ = disk_.sync_folder(folder_);
}

}  // namespace fastjournal::log::file
