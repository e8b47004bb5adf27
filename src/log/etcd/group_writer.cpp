#include "log/etcd/group_writer.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/check.h"
#include "log/record_format.h"

namespace fastjournal::log::etcd {
namespace {

// The first LSN of a new log; 0 means "none".
constexpr Lsn kFirstLsn{64U << 10U};
// Beyond what an owner found, so that no number is given twice that one before it may have used.
constexpr std::uint64_t kGap = 4096;

}  // namespace

void GroupWriter::begin(Appender::Owner owner, Lsn end) {
  std::uint64_t const found = std::max(end.value, kFirstLsn.value - kGap);
  owner.begin = Lsn{(found + kGap) / kGap * kGap};
  appender_.begin(owner);
  found_ = needed_ = owner.begin;
  open_.clear();
}

void GroupWriter::end() {
  appender_.end();
  open_.clear();
}

void GroupWriter::forget() {
  needed_ = {};
  held_ = 0;
}

bool GroupWriter::end_turn(std::int64_t now_us) {
  needed_ = appender_.end_lsn();
  Lsn const before = appender_.durable();
  appender_.send(now_us);
  return needed_ > before;
}

// Not the difference of LSNs: there may be gaps.
std::uint64_t GroupWriter::kept_bytes() const { return truncation_.bytes() + appender_.open_bytes() + open_.size(); }

bool GroupWriter::reserve(std::size_t bytes, bool removing) {
  if (appender_.open_bytes() + open_.size() + bytes > options_.waiting_bytes_max) return false;
  if (!removing && quota_.is_short()) return false;
  std::uint64_t const left_alone = held_ + (removing ? 0 : kept_for_compaction_ + options_.segment_bytes);
  if (kept_bytes() + bytes + left_alone > options_.bytes_max) return false;
  make_room(bytes);
  return true;
}

bool GroupWriter::reserve_to_compact(std::size_t bytes) {
  if (kept_bytes() + bytes > options_.bytes_max ||
      appender_.open_bytes() + open_.size() + bytes > options_.waiting_bytes_max)
    return false;
  make_room(bytes);
  return true;
}

// Records of a step are applied when all of them were appended: until then they stay where they are.
void GroupWriter::make_room(std::size_t bytes) {
  std::size_t const all = open_.size() + with_headers(bytes);
  if (all > open_.capacity()) open_.reserve(all);
}

bool GroupWriter::hold(std::size_t bytes, bool removing) {
  if (!reserve(bytes, removing)) return false;
  held_ += bytes;
  return true;
}

std::string GroupWriter::shortage() const {
  if (quota_.is_short()) return quota_.why();
  if (appender_.open_bytes() + open_.size() > options_.waiting_bytes_max / 2)
    return fmt::format("log {}: {} bytes wait for etcd", options_.name, appender_.open_bytes());
  return fmt::format("log {} has {} of at most {} bytes in etcd", options_.name, kept_bytes(), options_.bytes_max);
}

Records::Place GroupWriter::append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                                   std::size_t body_bytes) {
  last_record_ = open_.size();
  Lsn const lsn = end_lsn();
  std::size_t const bytes = record_bytes(!object.is_none(), body_bytes);
  FJ_CHECK(last_record_ + bytes <= open_.capacity(), "records stay within what was reserved");
  open_.resize(last_record_ + bytes);
  std::span<std::byte> const all = std::as_writable_bytes(std::span{open_});
  return {lsn, begin_record(all.subspan(last_record_), table, type, version, object, body_bytes)};
}

void GroupWriter::end_group() {
  if (open_.empty()) return;
  mark_last_of_group(std::as_writable_bytes(std::span{open_}).data() + last_record_);
  appender_.add(open_, true);
  open_.clear();
}

bool GroupWriter::skip_to(Lsn at) {
  Lsn const rounded{(at.value + kGap - 1) / kGap * kGap};
  return open_.empty() && appender_.skip_to(rounded);
}

LogUsage GroupWriter::usage(Lsn end) const {
  LogUsage out;
  std::uint64_t const segment = options_.segment_bytes;
  out.logical_bytes = std::min(end.value - std::min(truncation_.base_lsn().value, end.value), kept_bytes());
  out.segments = static_cast<std::uint32_t>((kept_bytes() + segment - 1) / segment + 1);
  out.disk_bytes = out.segments * segment;
  out.left_bytes = segment;
  out.room_bytes = options_.bytes_max - std::min(options_.bytes_max, kept_bytes());
  out.oldest_segment_end = Lsn{(truncation_.first_lsn(end).value / segment + 1) * segment};
  out.is_short = out.room_bytes < options_.bytes_max / 8;
  return out;
}

}  // namespace fastjournal::log::etcd
