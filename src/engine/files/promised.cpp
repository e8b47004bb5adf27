// Values of transactions that are not over: no record names them so far. Each stays at the place that its command names,
// also over starts, as what is prepared is in the log with that place. Copies that a maintenance of the table makes are
// known here alone: after an exchange of the files, a start makes them again.
#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "engine/files/byte_files.h"

namespace fastjournal::storage {
namespace {

// Of one job, unless a single value is larger.
constexpr std::uint64_t kBytesPerJob = 4U << 20U;
constexpr std::size_t kValuesPerJob = 256;

}  // namespace

Status ByteFiles::promised(Extent const& extent) {
  if (extent.size() == 0) return {};
  if (!is_serving_)
    if (Status status = find_promised(extent); !status.ok()) return status;
  FJ_CHECK(places_.contains(key_of(extent)), "what is promised was stored before");
  touch();
  Promised& one = promised_[key_of(extent)];
  one.extent = extent;
  if (!is_serving_ && says_files() && extent.file != table_->file_for_new())
    if (Status status = copy_at_start(one); !status.ok()) return status;
  tell_promised();
  return {};
}

// Of what was prepared before this start.
Status ByteFiles::find_promised(Extent const& extent) {
  File* const file = find(extent.file);
  if (file == nullptr)
    return {Code::damaged, fmt::format("{}: the file is gone, and a prepared transaction has a value in it: put it "
                                       "back, or restore a backup",
                                       path_of(extent.file))};
  if (extent.end > file->found_bytes)
    return {Code::damaged, fmt::format("{}: the file ended at {}, and a prepared transaction has a value up to {}: "
                                       "restore a backup of it",
                                       path_of(extent.file), file->found_bytes, extent.end)};
  places_.emplace(key_of(extent), extent);
  ++file->outstanding;
  return {};
}

Status ByteFiles::copy_at_start(Promised& one) {
  std::uint32_t const number = table_->file_for_new();
  File* to = find(number);
  if (to == nullptr) {
    Result<File*> made = make(number);
    if (!made.ok()) return made.status();
    to = made.value();
  }
  CopyJob job;
  job.to = to->file;
  job.copies.push_back(copy_of(*to, {.from = one.extent}));
  CopyJob::Copy const& copy = job.copies.front();
  if (!copy.status.ok()) return copy.status;
  job.run();
  if (!job.failure.ok()) return job.failure;
  if (!copy.status.ok()) return copy.status;
  copied_to_.insert(number);
  Extent const& made = one.copies.emplace_back(Extent{number, copy.offset, copy.offset + one.extent.size(), copy.hash});
  // It may be named before the start is over.
  to->found_bytes = std::max(to->found_bytes, made.end);
  return {};
}

Extent const* ByteFiles::in_file(Promised const& one, std::uint32_t file) const {
  if (one.extent.file == file) return &one.extent;
  auto const found = std::ranges::find(one.copies, file, &Extent::file);
  return found == one.copies.end() ? nullptr : &*found;
}

Extent ByteFiles::place_of(Extent const& extent) const {
  if (!says_files()) return extent;
  std::uint32_t const current = table_->file_for_new();
  if (extent.file == current) return extent;
  if (extent.size() == 0) return {current, kHeaderBytes, kHeaderBytes, extent.hash};
  auto const found = promised_.find(key_of(extent));
  Extent const* const place = found == promised_.end() ? nullptr : in_file(found->second, current);
  FJ_CHECK(place != nullptr, "files are exchanged when all promised values are copied");
  return *place;
}

void ByteFiles::let_go(Extent const& extent) {
  if (extent.size() == 0) return;
  auto const found = promised_.find(key_of(extent));
  if (found == promised_.end()) return;
  touch();
  let_go_.push_back({found->second.extent, kNoLsn});
  for (Extent const& copy : found->second.copies) let_go_.push_back({copy, kNoLsn});
  promised_.erase(found);
  tell_promised();
}

// A prepared one is in the log until the record of its end is durable: after a crash before that it may be committed.
void ByteFiles::give_back_let_go(Lsn durable) {
  while (!let_go_.empty() && let_go_.front().lsn <= durable) {
    give_back(let_go_.front().extent);
    let_go_.pop_front();
  }
}

// ---------------------------------------------------------------------------
// Files that are exchanged

void ByteFiles::wish_for_promised(std::uint32_t file, std::vector<CopyWish>& wishes) const {
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  for (auto const& [place, one] : promised_) {
    if (in_file(one, file) != nullptr) continue;
    if (count++ >= kValuesPerJob || bytes >= kBytesPerJob) return;
    bytes += one.extent.size();
    wishes.push_back({.key = {place.first, place.second}, .from = place_of(one.extent)});
  }
}

// Its transaction may be over by now. Without a copy the files cannot be exchanged, so the table is told as of any that
// failed: whatever it was, the value stays where it is.
void ByteFiles::add_copy(CopyJob::Copy& copy, Extent const& to) {
  auto const found = promised_.find({static_cast<std::uint32_t>(copy.wish.key[0]), copy.wish.key[1]});
  if (copy.status.ok() && found != promised_.end()) {
    copied_to_.insert(to.file);
    found->second.copies.push_back(to);
    return;
  }
  if (copy.offset != 0) give_back(to);
  if (copy.status.ok() || found == promised_.end()) return;
  if (copy.status.code() == Code::damaged) note_damage(copy.status);
  Code const code = copy.status.code() == Code::damaged ? Code::unavailable : copy.status.code();
  copied_->why = {code, "a value of a transaction that is not over cannot be copied: " + copy.status.message()};
  copied_->not_moved.push_back({.key = {}, .from = copy.wish.from});
}

// In files that the table gave up, or that were replaced once more.
void ByteFiles::drop_copies(std::set<std::uint32_t> const& wanted) {
  if (std::ranges::includes(wanted, copied_to_)) return;
  std::erase_if(copied_to_, [&](std::uint32_t file) { return !wanted.contains(file); });
  std::size_t dropped = 0;
  for (auto& [place, one] : promised_)
    dropped += std::erase_if(one.copies, [&](Extent const& copy) {
      if (wanted.contains(copy.file)) return false;
      give_back(copy);
      return true;
    });
  if (dropped > 0) tell_promised();
}

void ByteFiles::tell_promised() {
  if (!says_files()) return;
  std::uint32_t const next = table_->file_to_be();
  bool const all = next != 0 && std::ranges::all_of(
                                    promised_, [&](auto const& one) { return in_file(one.second, next) != nullptr; });
  table_->has_promised(promised_.size(), all ? next : 0);
}

}  // namespace fastjournal::storage
