#include "engine/files/carried.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"

namespace fastjournal::storage {
namespace {

// Carried bytes that are written at once.
constexpr std::size_t kJoinedBytesMax = 1U << 20U;

}  // namespace

Result<StoredValue> CarriedBytes::place(std::string_view bytes, bool is_text) {
  context_.touch();
  // The record is decided at once, so its place in the file must be certain.
  Result<DataFiles::Placed> placed = files_.place(bytes.size(), true);
  if (!placed.ok()) return placed.status();
  Hash128 const hash = hash128(bytes);
  placed->extent.hash = hash.low;
  return StoredValue{.extent = placed->extent, .hash_high = hash.high, .is_text = is_text};
}

// A write for many that lie one behind the other, as each call costs more than what it writes. In a gap of less than the
// least alignment no value can lie.
void CarriedBytes::write(DataFile& file, Extent const& extent, std::string_view bytes) {
  std::uint64_t const end = joined_.begin + joined_.bytes.size();
  bool const follows = joined_.file == file.file && extent.begin >= end && extent.begin - end < kAlignmentSaid &&
                       joined_.bytes.size() + bytes.size() < kJoinedBytesMax;
  if (!follows) {
    flush();
    joined_.file = file.file;
    joined_.begin = extent.begin;
  } else {
    joined_.bytes.append(extent.begin - end, '\0');
  }
  joined_.bytes.append(bytes);
  context_.figures.stored_bytes += bytes.size();
  file.end = std::max(file.end, extent.end);
  if (carried_.empty()) {
    carried_since_ = turn_began_;
    carried_at_us_ = context_.now_us;
  }
  carried_.insert(extent.file);
  files_.note_written(extent.file);
}

void CarriedBytes::flush() {
  if (joined_.bytes.empty()) return;
  if (Status status = joined_.file->write(joined_.begin, as_bytes(joined_.bytes)); !status.ok())
    context_.fail(std::move(status));
  joined_.bytes.clear();
  joined_.file = nullptr;  // a file that is removed keeps its space as long as it is open
}

Lsn CarriedBytes::oldest_needed() const {
  if (!in_job_.is_none()) return in_job_;
  return carried_.empty() ? kNoLsn : carried_since_;
}

Status CarriedBytes::sync() {
  flush();
  // A job that is out has its own, which are not looked at apart here.
  bool const is_any_out = !in_job_.is_none();
  for (auto& [number, file] : files_.all())
    if (is_any_out || carried_.contains(number))
      if (Status status = file.file->sync(); !status.ok()) return status;
  carried_.clear();
  return {};
}

void CarriedBytes::begin_sync(std::set<FilePtr>& syncs) {
  for (std::uint32_t const number : carried_) syncs.insert(files_.find(number)->file);
  if (!carried_.empty()) in_job_ = carried_since_;
  carried_.clear();
}

}  // namespace fastjournal::storage
