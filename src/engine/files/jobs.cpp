#include "engine/files/jobs.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/bytes.h"

namespace fastjournal::storage {
namespace {

constexpr std::size_t kPieceBytes = 256U << 10U;

Status damaged(std::string const& name, Extent const& extent, std::string_view what) {
  return {Code::damaged, fmt::format("{}: the {} bytes at offset {} {}: restore a backup of this file, or store the "
                                     "value again",
                                     name, extent.size(), extent.begin, what)};
}

// In pieces: give(piece).
template <typename Give>
Status read_pieces(env::File& file, std::uint64_t offset, std::uint64_t bytes, Give const& give) {
  std::string piece;
  for (std::uint64_t done = 0; done < bytes;) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, bytes - done)));
    Result<std::size_t> const got =
        file.read(offset + done, std::as_writable_bytes(std::span{piece.data(), piece.size()}));
    if (!got.ok()) return got.status();
    if (got.value() < piece.size()) return {Code::damaged, "the file ends before them"};
    if (Status status = give(std::string_view{piece}); !status.ok()) return status;
    done += piece.size();
  }
  return {};
}

// File systems punch nothing behind the end of a file, also where space was promised: of a value that was announced and
// did not come. A zero in its last byte, which no other process writes, moves the end behind it.
void move_end_behind(TidyJob::Punch const& punch) {
  std::uint64_t const end = punch.offset + punch.bytes;
  Result<std::uint64_t> const size = punch.file->size();
  if (!size.ok() || size.value() + env::kPunchAlignment > end) return;
  // If it fails, the space stays taken until the file is removed.
  static_cast<void>(punch.file->write(end - 1, as_bytes(std::string_view{"\0", 1})));
}

}  // namespace

Status read_extent(env::File& file, std::string const& name, Extent const& extent, std::string& out) {
  out.resize(static_cast<std::size_t>(extent.size()));
  if (out.empty()) return {};
  Result<std::size_t> const got = file.read(extent.begin, std::as_writable_bytes(std::span{out.data(), out.size()}));
  if (!got.ok()) return got.status();
  if (got.value() < out.size()) return damaged(name, extent, "are not all there");
  // Of a part of a value no hash is known.
  if (extent.hash != 0 && hash128(out).low != extent.hash)
    return damaged(name, extent, "are not those that were stored");
  return {};
}

// Large values are synced in pieces of this size: the log's own sync, which all wait for, stands behind one of them in the
// disk's queue, not behind the whole.
constexpr std::size_t kBytesPerSync = 1U << 20U;

void StoreJob::run() {
  std::set<std::uint64_t> failed;
  for (auto const& [stage, status] : refused) failed.insert(stage);
  auto const refuse = [&](std::uint64_t stage, Status status) {
    if (failed.insert(stage).second) refused.emplace_back(stage, std::move(status));
  };
  for (Write const& write : writes) {
    std::uint64_t offset = write.offset;
    for (Chunk const& chunk : write.chunks) {
      write.hasher->add(chunk.bytes);
      written_bytes += chunk.bytes.size();
      if (failed.contains(write.stage)) continue;
      for (std::size_t at = 0; at < chunk.bytes.size() && failure.ok(); at += kBytesPerSync) {
        std::string_view const part = chunk.bytes.substr(at, kBytesPerSync);
        if (Status status = write.file->write(offset, as_bytes(part)); !status.ok()) {
          refuse(write.stage, status);
          break;
        }
        offset += part.size();
        if (part.size() == kBytesPerSync) failure = write.file->sync();
      }
    }
  }
  // Here, as it takes milliseconds for large ones.
  for (Write& write : writes)
    for (Chunk& chunk : write.chunks) chunk.held.release();
  for (Move const& move : moves) {
    if (failed.contains(move.stage)) continue;
    std::uint64_t offset = move.offset;
    Hasher128 moved;
    Status status = read_pieces(*move.from, move.from_offset, move.bytes, [&](std::string_view piece) {
      moved.add(piece);
      Status const written = move.to->write(offset, as_bytes(piece));
      offset += piece.size();
      return written;
    });
    bool const is_same = moved.hash() == move.hasher->hash();
    if ((status.ok() && !is_same) || status.code() == Code::damaged)
      status = {Code::damaged, "the value changed in its file before it was stored: send it again"};
    if (!status.ok()) refuse(move.stage, std::move(status));
  }
  std::erase_if(completes, [&](std::uint64_t stage) { return failed.contains(stage); });
  for (FilePtr const& file : syncs)
    if (Status status = file->sync(); !status.ok() && failure.ok()) failure = std::move(status);
}

void FetchJob::run() {
  for (Read& read : reads) {
    if (read.extent.size() == 0) continue;
    read.status = read.file == nullptr ? Status{Code::damaged, read.name + ": the file is gone"}
                                       : read_extent(*read.file, read.name, read.extent, read.bytes);
  }
}

void CopyJob::run() {
  for (Copy& copy : copies) {
    if (!copy.status.ok()) continue;
    Extent const& from = copy.request.from;
    Hasher128 hasher;
    std::uint64_t offset = copy.offset;
    copy.status = read_pieces(*copy.from, from.begin, from.size(), [&](std::string_view piece) {
      hasher.add(piece);
      Status const written = to->write(offset, as_bytes(piece));
      offset += piece.size();
      return written;
    });
    if (copy.status.code() == Code::damaged) copy.status = damaged(copy.name, from, "are not all there");
    copy.hash = hasher.hash().low;
    if (copy.status.ok() && copy.hash != from.hash)
      copy.status = damaged(copy.name, from, "are not those that were stored");
  }
  failure = to->sync();
}

Result<FilePtr> make_file(env::Disk& disk, std::string const& folder, std::string const& path, FileHeader const& header,
                          std::optional<env::Access> const& access) {
  // One that is given away is closed until then: the daemon's own group must not have it open.
  Result<std::unique_ptr<env::File>> made =
      disk.open(path, access ? env::OpenMode::create_closed : env::OpenMode::create_new);
  if (!made.ok()) return made.status();
  FilePtr file = std::move(made).value();
  Status status = access ? disk.give(path, *access) : Status{};
  if (status.ok()) status = file->write(0, as_bytes(header_bytes(header)));
  if (status.ok()) status = file->sync();
  // Its name too: values in it would be lost with it.
  if (status.ok()) status = disk.sync_folder(folder);
  if (status.ok()) return file;
  static_cast<void>(disk.remove(path));
  return status;
}

void TidyJob::run() {
  for (Punch const& punch : punches) {
    move_end_behind(punch);
    Status const status = punch.file->punch(punch.offset, punch.bytes);
    if (status.code() == Code::not_supported) cannot_punch = true;
    if (status.ok()) punched_bytes += punch.bytes;
  }
  for (Made& made : makes) {
    Result<FilePtr> file = make_file(*disk, folder, made.path, made.header, access);
    if (!file.ok()) {
      failure = file.status();
      return;
    }
    made.file = std::move(file).value();
  }
  for (Link const& link : links) {
    Status status = link.target.empty() ? disk->remove(link.path) : disk->point(link.path, link.target);
    if (status.code() == Code::not_found && link.target.empty()) status = {};
    if (!status.ok()) {
      failure = std::move(status);
      return;
    }
  }
  if (!links.empty()) failure = disk->sync_folder(folder);
  if (!failure.ok()) return;
  // What cannot be removed now is garbage of the next start.
  for (std::string const& path : removes) static_cast<void>(disk->remove(path));
}

void ScrubJob::run() {
  for (Look& look : looks) {
    Extent const& extent = look.extent;
    look.file->forget_cached(extent.begin, extent.size());
    Hasher128 hasher;
    look.status = read_pieces(*look.file, extent.begin, extent.size(), [&](std::string_view piece) {
      hasher.add(piece);
      return Status{};
    });
    if (look.status.code() == Code::damaged) look.status = damaged(look.name, extent, "are not all there");
    if (look.status.ok() && hasher.hash().low != extent.hash)
      look.status = damaged(look.name, extent, "are not those that were stored");
  }
}

}  // namespace fastjournal::storage
