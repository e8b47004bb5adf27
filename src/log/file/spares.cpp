#include "log/file/spares.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace fastjournal::log::file {
namespace {

constexpr std::uint32_t kPauseMax = 1024;

}  // namespace

Segment Spares::take() {
  FJ_CHECK(!free_.empty(), "a free segment is there");
  auto found = std::find_if(free_.begin(), free_.end(), [](Segment const& one) { return one.clean; });
  if (found == free_.end()) found = free_.begin();
  Segment segment = std::move(*found);
  free_.erase(found);
  segment.clean = false;
  return segment;
}

SegmentHeader Spares::unused_header() {
  SegmentHeader header;
  header.index = ++index_;
  header.store_id = store_id_;
  header.size = options_.segment_bytes;
  header.block = static_cast<std::uint32_t>(options_.block_bytes);
  return header;
}

Status Spares::check_disk_space() const {
  auto const free = disk_.free_bytes();
  if (!free.ok()) return free.status();
  if (free.value() >= options_.segment_bytes + options_.disk_reserve_bytes) return {};
  return {Code::no_space, fmt::format("{} bytes are free, a segment takes {} and {} must stay free", free.value(),
                                      options_.segment_bytes, options_.disk_reserve_bytes)};
}

Status Spares::extend() {
  if (Status status = check_disk_space(); !status.ok()) return status;
  SegmentHeader const header = unused_header();
  if (Status status = make_segment(disk_, folder_, header); !status.ok()) return status;
  free_.push_back({.header = header, .clean = true});
  return {};
}

// ---------------------------------------------------------------------------
// A pin

void Spares::retire(Segment segment) {
  (segment.header.generation <= pinned_generation_ ? pinned_ : free_).push_back(std::move(segment));
}

void Spares::give_up_pin() {
  std::move(pinned_.begin(), pinned_.end(), std::back_inserter(free_));
  pinned_.clear();
  pinned_generation_ = 0;
}

// ---------------------------------------------------------------------------
// Chores

void Spares::count_call() {
  if (pause_ > 0) --pause_;
}

std::unique_ptr<Chore> Spares::make() {
  if (pause_ > 0) return nullptr;
  if (!check_disk_space().ok()) {
    pause_ = kPauseMax;
    return nullptr;
  }
  chore_out_ = coming_ = true;
  return std::make_unique<Chore>(disk_, folder_, Chore::Kind::make, unused_header());
}

std::vector<Segment>::const_iterator Spares::find_unclean() const {
  return std::find_if(free_.begin(), free_.end(), [](Segment const& one) { return !one.clean; });
}

Segment const* Spares::next_to_wipe() const {
  auto const found = pause_ > 0 ? free_.end() : find_unclean();
  return found == free_.end() ? nullptr : &*found;
}

std::unique_ptr<Chore> Spares::wipe() {
  auto const found = free_.begin() + (find_unclean() - free_.cbegin());
  wiped_ = std::move(*found);
  free_.erase(found);
  chore_out_ = coming_ = true;
  return std::make_unique<Chore>(disk_, folder_, Chore::Kind::wipe, wiped_->header);
}

Segment const* Spares::next_to_remove() const { return free_.empty() ? nullptr : &free_.back(); }

std::unique_ptr<Chore> Spares::remove() {
  Segment const segment = std::move(free_.back());
  free_.pop_back();
  chore_out_ = true;
  return std::make_unique<Chore>(disk_, folder_, Chore::Kind::remove, segment.header, options_.wipe && !segment.clean);
}

void Spares::finish(Chore const& chore) {
  FJ_CHECK(chore_out_, "a chore that was taken comes back");
  chore_out_ = coming_ = false;
  bool const ok = chore.status().ok();
  if (wiped_) {
    wiped_->clean = ok;
    free_.push_back(std::move(*wiped_));
    wiped_.reset();
  } else if (ok && chore.kind() == Chore::Kind::make) {
    free_.push_back({.header = chore.header(), .clean = true});
  }
  if (ok) {
    failures_ = 0;
    return;
  }
  if (chore.is_fatal()) return;
  pause_ = std::min(kPauseMax, 16U << std::min(failures_, 6U));
  ++failures_;
}

}  // namespace fastjournal::log::file
