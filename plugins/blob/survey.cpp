#include "plugins/blob/survey.h"

#include <algorithm>

namespace fastjournal::blob {
namespace {

// Keys that are gathered ahead of the copies, and of records of what is left out.
constexpr std::size_t kAheadMax = 4096;
// Of an entry of an ordered map, whose nodes are three quarters full.
constexpr std::uint64_t kKeyBytes = 32;
constexpr std::uint64_t kLeftBytes = 22;
constexpr std::uint64_t kSecondBytes = 22;

}  // namespace

void Survey::begin(Policy const& policy, std::uint32_t began_s, bool tells_left) {
  end();
  tells_left_ = tells_left;
  policy_ = policy;
  began_s_ = began_s;
  phase_ = policy.bytes_max == 0 ? Phase::gather : Phase::measure;
}

bool Survey::wants_more() const {
  return phase_ == Phase::gather && ahead_.size() < kAheadMax && left_.size() < kAheadMax;
}

void Survey::work(Index const& index, std::uint32_t work_units, std::uint32_t start_s) {
  start_s_ = start_s;
  switch (phase_) {
    case Phase::measure: return measure(index, work_units);
    case Phase::cut: return cut(work_units);
    case Phase::gather: return gather(index, work_units);
    case Phase::off:
    case Phase::done: return;
  }
}

// By the rules that look at one blob alone.
bool Survey::is_left_out(Blob const& blob) const {
  if ((blob.marks & marks::kDamaged) != 0) return true;
  if ((blob.marks & marks::kOmitted) != 0) return true;
  if (is_new(blob)) return false;
  if (blob.entry_time < policy_.oldest_entry_s) return true;
  std::uint32_t const unread_s = std::max(start_s_, blob.entry_time);
  std::uint32_t const read_s = std::max(blob.entry_time, blob.read_s == 0 ? unread_s : blob.read_s);
  return read_s < policy_.oldest_read_s;
}

bool Survey::is_new(Blob const& blob) const {
  if (blob.entry_time == began_s_) return (blob.marks & marks::kNew) != 0;
  return blob.entry_time > began_s_;
}

void Survey::measure(Index const& index, std::uint32_t work_units) {
  bool const more = index.walk(at_, work_units, [&](Blob const& blob, std::uint8_t& marks) {
    bool const is_out = is_left_out(blob);
    marks = static_cast<std::uint8_t>(is_out ? marks | marks::kJudged : marks & ~marks::kJudged);
    if (!is_out) bytes_by_second_[blob.entry_time] += blob.extent.size();
    return true;
  });
  if (more) return;
  phase_ = Phase::cut;
  room_ = policy_.bytes_max;
  at_ = {};
}

void Survey::cut(std::uint32_t work_units) {
  for (; work_units > 0 && !bytes_by_second_.empty(); --work_units) {
    auto const newest = std::prev(bytes_by_second_.end());
    if (newest->second > room_) {
      cut_s_ = newest->first;
      bytes_by_second_.clear();
      break;
    }
    room_ -= newest->second;
    bytes_by_second_.erase(newest);
  }
  if (bytes_by_second_.empty()) phase_ = Phase::gather;
}

bool Survey::has_room(Blob const& blob) {
  if (is_new(blob)) return true;
  if (blob.entry_time != cut_s_) return blob.entry_time > cut_s_;
  if (blob.extent.size() > room_) return false;
  room_ -= blob.extent.size();
  return true;
}

void Survey::gather(Index const& index, std::uint32_t work_units) {
  bool const more = index.walk(at_, work_units, [&](Blob const& blob, std::uint8_t& marks) {
    if (blob.has_copy()) return true;
    if (ahead_.size() >= kAheadMax || left_.size() >= kAheadMax) return false;
    bool const is_out = policy_.bytes_max == 0 ? is_left_out(blob)
                                               : (marks & (marks::kJudged | marks::kLogged)) != 0 || !has_room(blob);
    if (is_out) {
      if (tells_left_) left_.insert(blob.key);
      return true;
    }
    ahead_.emplace(blob.key, blob.extent.size());
    bytes_ += blob.extent.size();
    return true;
  });
  if (!more) phase_ = Phase::done;
}

void Survey::note_put(Key const& key, std::uint64_t size) {
  bool const is_passed = phase_ == Phase::done || (phase_ == Phase::gather && key < at_);
  left_.erase(key);
  if (!is_passed) return;
  auto const found = ahead_.find(key);
  std::uint64_t& known = found == ahead_.end() ? behind_[key] : found->second;
  bytes_ -= known;
  bytes_ += size;
  known = size;
}

void Survey::note_done(Key const& key) {
  left_.erase(key);
  for (Sizes* const keys : {&ahead_, &behind_}) {
    auto const found = keys->find(key);
    if (found == keys->end()) continue;
    bytes_ -= found->second;
    keys->erase(found);
  }
}

std::uint64_t Survey::memory_bytes() const {
  return size() * kKeyBytes + left_.size() * kLeftBytes + bytes_by_second_.size() * kSecondBytes;
}

}  // namespace fastjournal::blob
