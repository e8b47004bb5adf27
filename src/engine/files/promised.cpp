#include "engine/files/promised.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace fastjournal::storage {
namespace {

// Of one job, unless a single value is larger.
constexpr std::uint64_t kPromisedBytesPerJob = 4U << 20U;
constexpr std::size_t kPromisedPerJob = 256;

}  // namespace

Status PromisedValues::add(Extent const& extent) {
  if (extent.size() == 0) return {};
  if (!context_.is_serving)
    if (Status status = find_at_start(extent); !status.ok()) return status;
  bool const is_placed = files_.set_promised(extent, true);
  FJ_CHECK(is_placed, "what is promised was stored before");
  context_.touch();
  Promised& one = promised_[key_of(extent)];
  one.extent = extent;
  if (!context_.is_serving && context_.manages_files() && extent.file != context_.manager->file_for_new())
    if (Status status = copy_at_start(one); !status.ok()) return status;
  tell_table();
  return {};
}

// Of what was prepared before this start.
Status PromisedValues::find_at_start(Extent const& extent) {
  DataFile* const file = files_.find(extent.file);
  if (file == nullptr)
    return {Code::damaged, fmt::format("{}: the file is gone, and a prepared transaction has a value in it: put it "
                                       "back, or restore a backup",
                                       files_.path_of(extent.file))};
  if (extent.end > file->found_bytes)
    return {Code::damaged, fmt::format("{}: the file ended at {}, and a prepared transaction has a value up to {}: "
                                       "restore a backup of it",
                                       files_.path_of(extent.file), file->found_bytes, extent.end)};
  files_.place_again(*file, extent);
  return {};
}

Status PromisedValues::copy_at_start(Promised& one) {
  std::uint32_t const number = context_.manager->file_for_new();
  DataFile* to = files_.find(number);
  if (to == nullptr) {
    Result<DataFile*> made = files_.make(number);
    if (!made.ok()) return made.status();
    to = made.value();
  }
  CopyJob job;
  job.to = to->file;
  job.copies.push_back(files_.place_copy(*to, {.from = one.extent}));
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

Extent const* PromisedValues::in_file(Promised const& one, std::uint32_t file) {
  if (one.extent.file == file) return &one.extent;
  auto const found = std::ranges::find(one.copies, file, &Extent::file);
  return found == one.copies.end() ? nullptr : &*found;
}

Extent PromisedValues::place_of(Extent const& extent) const {
  if (!context_.manages_files()) return extent;
  std::uint32_t const current = context_.manager->file_for_new();
  if (extent.file == current) return extent;
  if (extent.size() == 0) return {current, kHeaderBytes, kHeaderBytes, extent.hash};
  auto const found = promised_.find(key_of(extent));
  Extent const* const place = found == promised_.end() ? nullptr : in_file(found->second, current);
  FJ_CHECK(place != nullptr, "files are exchanged when all promised values are copied");
  return *place;
}

void PromisedValues::let_go(Extent const& extent) {
  if (extent.size() == 0) return;
  auto const found = promised_.find(key_of(extent));
  if (found == promised_.end()) return;
  context_.touch();
  files_.set_promised(found->second.extent, false);
  let_go_.push_back({found->second.extent, kNoLsn});
  for (Extent const& copy : found->second.copies) let_go_.push_back({copy, kNoLsn});
  promised_.erase(found);
  tell_table();
}

void PromisedValues::clear() {
  for (auto const& [place, one] : promised_) files_.set_promised(one.extent, false);
  promised_.clear();
  let_go_.clear();
}

std::vector<Extent> PromisedValues::extents() const {
  std::vector<Extent> out;
  for (auto const& [place, one] : promised_) out.push_back(one.extent);
  return out;
}

void PromisedValues::turn_ended(Lsn end) {
  for (LetGo& one : let_go_)
    if (one.lsn.is_none()) one.lsn = end;
}

// A prepared one is in the log until the record of its end is durable: after a crash before that it may be committed.
void PromisedValues::give_back_let_go(Lsn durable) {
  while (!let_go_.empty() && let_go_.front().lsn <= durable) {
    files_.give_back(let_go_.front().extent);
    let_go_.pop_front();
  }
}

// ---------------------------------------------------------------------------
// Files that are exchanged

void PromisedValues::request_copies(std::uint32_t file, std::vector<CopyRequest>& requests) const {
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  for (auto const& [place, one] : promised_) {
    if (in_file(one, file) != nullptr) continue;
    if (count++ >= kPromisedPerJob || bytes >= kPromisedBytesPerJob) return;
    bytes += one.extent.size();
    requests.push_back({.key = {place.first, place.second}, .from = place_of(one.extent)});
  }
}

// Its transaction may be over by now. Without a copy the files cannot be exchanged, so the table is told as of any that
// failed: whatever it was, the value stays where it is.
Status PromisedValues::add_copy(CopyJob::Copy const& copy, Extent const& to) {
  auto const found = promised_.find({static_cast<std::uint32_t>(copy.request.key[0]), copy.request.key[1]});
  if (copy.status.ok() && found != promised_.end()) {
    copied_to_.insert(to.file);
    found->second.copies.push_back(to);
    return {};
  }
  if (copy.offset != 0) files_.give_back(to);
  if (copy.status.ok() || found == promised_.end()) return {};
  if (copy.status.code() == Code::damaged) context_.note_damage(copy.status);
  Code const code = copy.status.code() == Code::damaged ? Code::unavailable : copy.status.code();
  return {code, "a value of a transaction that is not over cannot be copied: " + copy.status.message()};
}

// In files that the table gave up, or that were replaced once more.
void PromisedValues::drop_copies(std::set<std::uint32_t> const& wanted) {
  if (std::ranges::includes(wanted, copied_to_)) return;
  std::erase_if(copied_to_, [&](std::uint32_t file) { return !wanted.contains(file); });
  std::size_t dropped = 0;
  for (auto& [place, one] : promised_)
    dropped += std::erase_if(one.copies, [&](Extent const& copy) {
      if (wanted.contains(copy.file)) return false;
      files_.give_back(copy);
      return true;
    });
  if (dropped > 0) tell_table();
}

void PromisedValues::tell_table() {
  if (!context_.manages_files()) return;
  std::uint32_t const next = context_.manager->file_to_be();
  bool const all = next != 0 && std::ranges::all_of(
                                    promised_, [&](auto const& one) { return in_file(one.second, next) != nullptr; });
  context_.manager->has_promised(promised_.size(), all ? next : 0);
}

}  // namespace fastjournal::storage
