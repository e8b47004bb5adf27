// How many objects have their latest whole record in each 256 KiB of the log: gives the oldest LSN that the table still
// needs, for one lookup a change. The newest region is counted separately: nearly all objects begin in it, and in a
// short queue also end in it.
#pragma once

#include <cstdint>

#include <absl/container/btree_map.h>
#include "base/check.h"
#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::rows {

class Regions {
 public:
  [[nodiscard]] static std::uint32_t of(Lsn lsn) { return static_cast<std::uint32_t>(lsn.value >> kBits); }
  // The first LSN in it (0 would mean none).
  [[nodiscard]] static Lsn start(std::uint32_t region) {
    return Lsn{region == 0 ? kLsnAlign : std::uint64_t{region} << kBits};
  }

  void add(std::uint32_t region) {
    if (region > newest_) {
      if (in_newest_ > 0) counts_.emplace(newest_, in_newest_);
      newest_ = region;
      in_newest_ = 0;
    }
    ++(region == newest_ ? in_newest_ : counts_[region]);
  }
  void remove(std::uint32_t region) {
    if (region == newest_) {
      FJ_CHECK(in_newest_ > 0, "an object leaves a region that it was not in");
      --in_newest_;
      return;
    }
    auto const found = counts_.find(region);
    FJ_CHECK(found != counts_.end(), "an object leaves a region that it was not in");
    if (--found->second == 0) counts_.erase(found);
  }

  [[nodiscard]] Lsn oldest() const {
    if (!counts_.empty()) return start(counts_.begin()->first);
    return in_newest_ == 0 ? kNoLsn : start(newest_);
  }
  // Objects in regions that begin below.
  [[nodiscard]] std::uint64_t count_below(Lsn below) const {
    std::uint64_t count = 0;
    for (auto const& [region, objects] : counts_) {
      if (start(region) >= below) break;
      count += objects;
    }
    if (start(newest_) < below) count += in_newest_;
    return count;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const { return counts_.size() * 12; }

 private:
  static constexpr unsigned kBits = 18;
  static_assert(1U << kBits <= kOldestLsnGrain);
  absl::btree_map<std::uint32_t, std::uint32_t> counts_;  // of regions before the newest
  std::uint32_t newest_{0};
  std::uint32_t in_newest_{0};
};

}  // namespace fastjournal::rows
